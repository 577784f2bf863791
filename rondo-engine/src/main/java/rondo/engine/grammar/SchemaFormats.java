package rondo.engine.grammar;

import java.util.Locale;
import java.util.Map;
import java.util.Optional;

/** The string formats of JSON Schema as regular expressions; each allows a part of what its RFC allows, all of it valid. */
final class SchemaFormats {
    private static final String YEAR = "(?:[1-9][0-9]{3})";
    private static final String LEAP_YEAR =
            "(?:[1-9][0-9](?:0[48]|[2468][048]|[13579][26])|(?:[2468][048]|[13579][26])00)";
    private static final String DATE = "(?:" + YEAR + "-(?:(?:0[13578]|1[02])-(?:0[1-9]|[12][0-9]|3[01])"
            + "|(?:0[469]|11)-(?:0[1-9]|[12][0-9]|30)|02-(?:0[1-9]|1[0-9]|2[0-8]))|" + LEAP_YEAR + "-02-29)";
    private static final String TIME = "(?:(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9](?:\\.[0-9]{1,9})?"
            + "(?:Z|[+-](?:0[0-9]|1[0-7]):[0-5][0-9]))";
    private static final String DURATION = "P(?:[0-9]{1,4}W|(?:[0-9]{1,4}D|[0-9]{1,4}M(?:[0-9]{1,4}D)?"
            + "|[0-9]{1,4}Y(?:[0-9]{1,4}M(?:[0-9]{1,4}D)?)?)(?:T(?:[0-9]{1,4}H(?:[0-9]{1,4}M(?:[0-9]{1,4}S)?)?"
            + "|[0-9]{1,4}M(?:[0-9]{1,4}S)?|[0-9]{1,4}S))?"
            + "|T(?:[0-9]{1,4}H(?:[0-9]{1,4}M(?:[0-9]{1,4}S)?)?|[0-9]{1,4}M(?:[0-9]{1,4}S)?|[0-9]{1,4}S))";
    private static final String LABEL = "(?:[a-zA-Z0-9](?:[a-zA-Z0-9]{0,30}(?:-[a-zA-Z0-9]{1,8}){0,3})?)";
    private static final String TOP_LABEL = "(?:[a-zA-Z]{2,12})";
    /** Top-level domains that validators of addresses know: common generic ones, and those of countries. */
    private static final String MAIL_DOMAIN =
            "(?:com|org|net|edu|gov|mil|int|info|biz|name|pro|io|co|ai|app|dev|cloud|tech"
                    + "|online|site|xyz|store|shop|blog|email|museum|agency|digital|uk|eu|"
                    + String.join("|", Locale.getISOCountries())
                            .toLowerCase(Locale.ROOT)
                            .replaceAll("(bl|bq|eh|mf|um)\\|", "")
                    + ")";

    private static final String HOST = "(?:" + LABEL + "\\.){0,5}" + TOP_LABEL;
    private static final String OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
    private static final String HEX = "[0-9a-fA-F]";
    private static final String GROUP = HEX + "{1,4}";
    private static final String ATOM = "[a-zA-Z0-9_+-]{1,16}";

    private static final Map<String, String> REGEX = Map.of(
            "date-time", DATE + "T" + TIME,
            "date", DATE,
            "time", TIME,
            "duration", DURATION,
            "email", ATOM + "(?:\\." + ATOM + "){0,3}@(?:" + LABEL + "\\.){1,4}" + MAIL_DOMAIN,
            "hostname", HOST,
            "ipv4", "(?:" + OCTET + "\\.){3}" + OCTET,
            "ipv6", "(?:" + GROUP + ":){7}" + GROUP + "|::(?:" + GROUP + ")?|(?:" + GROUP + ":){1,5}:" + GROUP,
            "uuid", HEX + "{8}-" + HEX + "{4}-" + HEX + "{4}-" + HEX + "{4}-" + HEX + "{12}",
            "uri",
                    "(?:https?|ftp)://" + HOST + "(?::[1-9][0-9]{0,3})?(?:/[a-zA-Z0-9._~-]{0,40}){0,8}"
                            + "(?:\\?[a-zA-Z0-9._~=&-]{0,80})?(?:#[a-zA-Z0-9._~-]{0,40})?");

    private SchemaFormats() {}

    /** Empty for formats that only annotate. */
    static Optional<Expr> of(String format) {
        return Optional.ofNullable(REGEX.get(format)).map(RegexParser::full);
    }
}
