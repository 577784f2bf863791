package rondo.cli;

import java.io.IOException;
import java.net.ConnectException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.channels.UnresolvedAddressException;
import java.time.Duration;
import java.util.Optional;
import java.util.OptionalInt;
import rondo.base.Json;
import rondo.base.UserError;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;

/**
 * What a server says of itself at {@code /v1/models}.
 *
 * @param model          its only model
 * @param tokensPerBlock of its cache, where it is a Rondo and says so
 */
record ServerProbe(String model, OptionalInt tokensPerBlock) {
    private static final Duration PATIENCE = Duration.ofSeconds(10);

    /** Asks the server; fails with one line where it does not answer, or serves several models. */
    static ServerProbe of(URI url, Optional<String> apiKey) {
        JsonNode models = ask(url, apiKey).path("data");
        if (models.size() != 1) {
            throw new UserError(
                    UserError.USAGE,
                    "bench: --model is missing, and " + url + "/v1/models lists " + models.size() + " models, not one");
        }
        JsonNode block = models.path(0).path("rondo").path("tokens_per_block");
        return new ServerProbe(
                models.path(0).path("id").asString(""),
                block.isInt() ? OptionalInt.of(block.asInt()) : OptionalInt.empty());
    }

    private static JsonNode ask(URI url, Optional<String> apiKey) {
        URI address = URI.create(url.toString().replaceAll("/+$", "") + "/v1/models");
        try (HttpClient http = HttpClient.newBuilder()
                .version(HttpClient.Version.HTTP_1_1)
                .connectTimeout(PATIENCE)
                .build()) {
            HttpRequest.Builder request = HttpRequest.newBuilder(address).timeout(PATIENCE);
            apiKey.ifPresent(key -> request.header("Authorization", "Bearer " + key));
            HttpResponse<String> response = http.send(request.build(), HttpResponse.BodyHandlers.ofString());
            if (response.statusCode() != 200) {
                throw unusable(address, "status " + response.statusCode());
            }
            return Json.mapper().readTree(response.body());
        } catch (IOException | JacksonException | IllegalArgumentException e) {
            throw unusable(address, why(e));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unusable(address, "interrupted");
        }
    }

    /** The client's own words, where it has any: a refused connection comes without. */
    private static String why(Exception fault) {
        for (Throwable t = fault; t != null; t = t.getCause()) {
            if (t instanceof UnresolvedAddressException) {
                return "the host is not known";
            }
        }
        if (fault instanceof ConnectException) {
            return "no server listens there";
        }
        return String.valueOf(fault.getMessage()).lines().findFirst().orElse("no answer");
    }

    private static UserError unusable(URI address, String why) {
        return new UserError(UserError.USAGE, "bench: GET " + address + " failed: " + why);
    }
}
