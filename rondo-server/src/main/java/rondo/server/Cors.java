package rondo.server;

import io.vertx.core.http.HttpMethod;
import io.vertx.core.http.HttpServerRequest;
import io.vertx.core.http.HttpServerResponse;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Which pages of other origins may read answers in a browser: none, unless they are listed. Credentials that the browser
 * adds by itself (cookies, certificates) are never allowed, so that a wildcard gives away no more than a plain client has.
 */
final class Cors {
    private static final String ANY = "*";
    private static final Pattern HEADER_NAMES = Pattern.compile("[A-Za-z0-9\\-, ]{1,1024}");
    private static final String MAX_AGE_SECONDS = "600";

    private final Set<String> origins;

    Cors(List<String> origins) {
        this.origins = origins.stream().map(o -> o.toLowerCase(Locale.ROOT)).collect(Collectors.toUnmodifiableSet());
    }

    /** Whether a page of this origin may read what is answered. */
    boolean allows(@Nullable String origin) {
        return origin != null && (origins.contains(ANY) || origins.contains(origin.toLowerCase(Locale.ROOT)));
    }

    /** Puts what tells the browser so on the answer; nothing for what is no page, or not allowed. */
    void mark(HttpServerRequest request, HttpServerResponse response) {
        if (origins.isEmpty()) {
            return;
        }
        response.putHeader("Vary", "Origin");
        String origin = request.getHeader("Origin");
        if (origin != null && allows(origin)) {
            response.putHeader("Access-Control-Allow-Origin", origins.contains(ANY) ? ANY : origin);
            response.putHeader("Access-Control-Expose-Headers", "X-Request-ID, Retry-After");
        }
    }

    /** Whether it asks beforehand what a page may do, and pages may do anything here. */
    boolean isPreflight(HttpServerRequest request) {
        return !origins.isEmpty()
                && request.method() == HttpMethod.OPTIONS
                && request.getHeader("Origin") != null
                && request.getHeader("Access-Control-Request-Method") != null;
    }

    /** What a preflight of an allowed origin is told. */
    static void permit(HttpServerRequest request, HttpServerResponse response, String methods) {
        response.putHeader("Access-Control-Allow-Methods", methods);
        response.putHeader("Access-Control-Max-Age", MAX_AGE_SECONDS);
        String headers = request.getHeader("Access-Control-Request-Headers");
        if (headers != null && HEADER_NAMES.matcher(headers).matches()) {
            response.putHeader("Access-Control-Allow-Headers", headers);
        }
    }

    /**
     * Whether a browser sends this for a page that may not read the answer: such a page could still make the server work.
     * Only browsers send the header that tells; other clients are not concerned.
     */
    boolean isForeignPage(HttpServerRequest request) {
        String site = request.getHeader("Sec-Fetch-Site");
        boolean foreign = site != null && !site.equals("same-origin") && !site.equals("none");
        return foreign && !allows(request.getHeader("Origin"));
    }
}
