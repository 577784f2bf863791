package rondo.cli;

import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.util.Properties;
import picocli.CommandLine;

/** Which Rondo this is, and on which Java. */
public final class Version implements CommandLine.IVersionProvider {
    /** The project's version, such as {@code 0.1.0}. */
    public static String rondo() {
        Properties properties = new Properties();
        try (InputStream in = Version.class.getResourceAsStream("version.properties")) {
            if (in != null) {
                properties.load(in);
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return properties.getProperty("version", "unknown");
    }

    @Override
    public String[] getVersion() {
        return new String[] {
            "rondo " + rondo() + " (Java " + Runtime.version() + ", " + System.getProperty("os.name") + " "
                    + System.getProperty("os.arch") + ")"
        };
    }
}
