package rondo.server;

import io.vertx.core.Future;
import io.vertx.core.http.HttpConnection;
import java.lang.reflect.Proxy;

/** A connection that only remembers whether it was closed. */
final class RecordingConnection {
    boolean closed;
    final HttpConnection connection = (HttpConnection) Proxy.newProxyInstance(
            HttpConnection.class.getClassLoader(), new Class<?>[] {HttpConnection.class}, (proxy, method, args) -> {
                switch (method.getName()) {
                    case "close" -> {
                        closed = true;
                        return Future.succeededFuture();
                    }
                    case "hashCode" -> {
                        return System.identityHashCode(this);
                    }
                    case "equals" -> {
                        return proxy == args[0];
                    }
                    default -> {
                        return method.getReturnType() == HttpConnection.class ? proxy : null;
                    }
                }
            });
}
