package rondo.server.kvevents;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;
import org.zeromq.ZMQ;
import org.zeromq.ZMQException;

/**
 * Answers subscribers that have seen a gap. They ask with {@code [identity, "", start]}; each kept batch from there on is
 * answered with {@code [identity, "", number, payload]}, and the end with the number −1 and an empty payload. The
 * {@code trtllm} form has the topic before the number.
 */
final class ReplaySocket {
    private static final Logger LOG = LoggerFactory.getLogger(ReplaySocket.class);
    private static final byte[] EMPTY = {};
    private static final long END = -1;
    /** A stranger may send what it likes, but not much of it. */
    private static final int LARGEST_REQUEST_BYTES = 256;

    private static final int LISTEN_MILLIS = 100;
    /** Who does not take an answer for so long gets no more of them. */
    private static final int PATIENCE_MILLIS = 1_000;

    private final ZMQ.Socket router;
    private final SentBatches sent;
    private final boolean withTopic;
    private final byte[] topic;
    private volatile boolean closing;

    ReplaySocket(ZMQ.Socket router, SentBatches sent, StreamOptions options) {
        this.router = router;
        this.sent = sent;
        withTopic = options.format() == StreamOptions.Format.TRTLLM;
        topic = options.topic().getBytes(StandardCharsets.UTF_8);
        router.setMaxMsgSize(LARGEST_REQUEST_BYTES);
        router.setReceiveTimeOut(LISTEN_MILLIS);
        router.setSendTimeOut(PATIENCE_MILLIS);
        // Else what a client cannot take at once would be dropped unseen, in the middle of a replay.
        router.setRouterMandatory(true);
    }

    /** Serves until {@link #stop}; the body of its thread. */
    void run() {
        while (!closing) {
            try {
                serve();
            } catch (ZMQException e) {
                if (!closing) {
                    LOG.debug("kv events replay failed: error={}", e.getMessage());
                }
            }
        }
    }

    void stop() {
        closing = true;
    }

    private void serve() {
        byte[] first = router.recv();
        if (first == null) {
            return;
        }
        List<byte[]> frames = new ArrayList<>();
        frames.add(first);
        while (router.hasReceiveMore()) {
            frames.add(router.recv());
        }
        if (frames.size() != 3 || frames.get(1).length != 0 || frames.get(2).length != Long.BYTES) {
            LOG.debug("kv events replay request refused: frames={}", frames.size());
            return;
        }
        long start = ByteBuffer.wrap(frames.get(2)).getLong();
        List<SentBatches.Sent> batches = sent.from(start);
        for (SentBatches.Sent batch : batches) {
            if (closing || !answer(first, batch.numberBytes(), batch.payload())) {
                LOG.debug("kv events replay broken off: start={} at={}", start, batch.number());
                return;
            }
        }
        answer(first, SentBatches.bytes(END), EMPTY);
    }

    private boolean answer(byte[] identity, byte[] number, byte[] payload) {
        return router.sendMore(identity)
                && router.sendMore(EMPTY)
                && (!withTopic || router.sendMore(topic))
                && router.sendMore(number)
                && router.send(payload);
    }
}
