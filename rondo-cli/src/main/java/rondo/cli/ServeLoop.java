package rondo.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.Env;
import rondo.base.Threads;
import rondo.base.TimeSource;

/** {@code rondo serve} from its start to its end: serves until a signal comes or the device is lost. */
final class ServeLoop implements Serving {
    private static final Logger LOG = LoggerFactory.getLogger("rondo");
    private static final Duration DRAIN = Duration.ofSeconds(30);
    private static final long WATCH_MILLIS = 200;
    private static final int DEVICE_LOST = 1;

    private final Env env;
    private final TimeSource time;

    ServeLoop(Env env, TimeSource time) {
        this.env = env;
        this.time = time;
    }

    @Override
    public int serve(ServeRequest request) throws InterruptedException {
        CountDownLatch told = new CountDownLatch(1);
        CountDownLatch ended = new CountDownLatch(1);
        long begin = time.nanoTime();
        try (LocalServer server = LocalServer.start(request, env, time)) {
            onSignal(told, ended);
            LOG.info("ready url={} start_ms={}", server.url(), (time.nanoTime() - begin) / 1_000_000);
            while (!told.await(WATCH_MILLIS, TimeUnit.MILLISECONDS)) {
                if (server.failed()) {
                    LOG.error("stopping reason=\"the engine has failed\"");
                    return DEVICE_LOST;
                }
            }
            LOG.info("draining limit_s={}", DRAIN.toSeconds());
            boolean all = server.drain(DRAIN);
            LOG.info("stopped drained={}", all);
            return 0;
        } finally {
            ended.countDown();
        }
    }

    /** The JVM ends as soon as its hooks have: this one waits until the server is closed. */
    private static void onSignal(CountDownLatch told, CountDownLatch ended) {
        Thread hook = Threads.platform("rondo-signal").newThread(() -> {
            told.countDown();
            try {
                ended.await(DRAIN.toSeconds() + 10, TimeUnit.SECONDS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        });
        Runtime.getRuntime().addShutdownHook(hook);
    }
}
