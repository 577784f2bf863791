package rondo.cli;

import java.time.Duration;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import rondo.base.Env;
import rondo.base.Threads;
import rondo.base.TimeSource;

/** {@code rondo serve} from its start to its end: serves until a signal comes or the device is lost. */
final class ServeLoop implements Serving {
    private static final Logger LOG = LoggerFactory.getLogger("rondo");
    private static final long WATCH_MILLIS = 200;
    private static final long HURRY_MILLIS = 2_000;
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
        AtomicInteger hurry = new AtomicInteger();
        long begin = time.nanoTime();
        try (LocalServer server = LocalServer.start(request, env, time);
                Signals _ = Signals.handledBy(told::countDown, code -> hurry(hurry, code))) {
            LOG.info("ready url={} start_ms={}", server.url(), (time.nanoTime() - begin) / 1_000_000);
            while (!told.await(WATCH_MILLIS, TimeUnit.MILLISECONDS)) {
                if (server.failed()) {
                    LOG.error("stopping reason=\"the engine has failed\"");
                    return DEVICE_LOST;
                }
            }
            Duration limit = request.config().operator().drain();
            LOG.info("draining limit_s={} (a second signal stops at once)", limit.toSeconds());
            boolean all = server.drain(limit, () -> hurry.get() != 0);
            LOG.info("stopped drained={}", all);
            return hurry.get();
        }
    }

    /** The second signal ends what still runs; if that takes too long, or at the third, the process ends as it stands. */
    private static void hurry(AtomicInteger exitCode, int code) {
        if (!exitCode.compareAndSet(0, code)) {
            Runtime.getRuntime().halt(code);
        }
        LOG.warn("stopping at once reason=\"second signal\"");
        Threads.start("rondo-hurry", () -> {
            try {
                TimeUnit.MILLISECONDS.sleep(HURRY_MILLIS);
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
            Runtime.getRuntime().halt(code);
        });
    }
}
