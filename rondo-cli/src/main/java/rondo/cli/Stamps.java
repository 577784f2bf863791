package rondo.cli;

import java.time.Clock;
import java.time.ZoneOffset;
import java.time.format.DateTimeFormatter;

/** Names of folders by time. */
final class Stamps {
    private static final DateTimeFormatter FORM =
            DateTimeFormatter.ofPattern("yyyyMMdd-HHmmss").withZone(ZoneOffset.UTC);

    private Stamps() {}

    /** Such as {@code 20261201-174500}. */
    static String utc(Clock clock) {
        return FORM.format(clock.instant());
    }
}
