package rondo.server.kvevents;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import org.msgpack.core.MessagePack;
import org.msgpack.value.ArrayValue;
import org.msgpack.value.Value;
import org.msgpack.value.ValueFactory;
import org.zeromq.SocketType;
import org.zeromq.ZContext;
import org.zeromq.ZMQ;

/**
 * A subscriber as routers are: it knows the server only by its messages. It notices a gap in the numbers, asks for what
 * it has missed, and begins anew when the numbers do.
 */
final class Router implements AutoCloseable {
    private static final int WAIT_MILLIS = 10_000;

    /** A block in a place: what a router has to know to send somebody there. */
    record Place(long hash, String medium, long group) {}

    /** A stored block as it was told. */
    record Told(boolean hasParent, long parent, List<Integer> tokens) {}

    private final ZContext context = new ZContext();
    private final ZMQ.Socket sub = context.createSocket(SocketType.SUB);
    private final ZMQ.Socket dealer = context.createSocket(SocketType.DEALER);
    private final StreamOptions.Format format;
    private final Set<Place> places = new HashSet<>();
    private final Map<Long, Told> blocks = new HashMap<>();
    /** Numbers of the batches that it has applied. */
    final List<Long> applied = new ArrayList<>();
    /** Numbers that it has missed, and that nobody could give it. */
    final List<Long> lost = new ArrayList<>();

    final List<String> kinds = new ArrayList<>();
    /** Where blocks have ever been. */
    final Set<String> media = new HashSet<>();

    int restarts;
    private long next;
    private long lastHeard = -1;

    Router(KvEventStream stream, StreamOptions.Format format, String topic) {
        this(stream.endpoint(), stream.replayEndpoint(), format, topic);
    }

    Router(String endpoint, String replayEndpoint, StreamOptions.Format format, String topic) {
        this.format = format;
        context.setLinger(0);
        sub.subscribe(topic);
        sub.setReceiveTimeOut(WAIT_MILLIS);
        sub.setReconnectIVL(10);
        sub.setHandshakeIvl(500); // a dying socket may accept a connection and never answer
        sub.connect(endpoint);
        if (!replayEndpoint.isEmpty()) {
            dealer.setReceiveTimeOut(WAIT_MILLIS);
            dealer.setReconnectIVL(10);
            dealer.setHandshakeIvl(500);
            dealer.connect(replayEndpoint);
        }
    }

    /** Applies messages, and what they make it ask for, until it has seen this number. */
    void follow(long until) {
        while (next <= until) {
            byte[] topic = sub.recv();
            assertThat(topic)
                    .as("a message before number %d, at %d", until, next)
                    .isNotNull();
            long number = ByteBuffer.wrap(sub.recv()).getLong();
            byte[] payload = sub.recv();
            assertThat(sub.hasReceiveMore()).as("three frames").isFalse();
            take(number, payload);
        }
    }

    /** One message that comes within so long, if any. */
    boolean takeOne(int waitMillis) {
        sub.setReceiveTimeOut(waitMillis);
        byte[] topic = sub.recv();
        sub.setReceiveTimeOut(WAIT_MILLIS);
        if (topic == null) {
            return false;
        }
        take(ByteBuffer.wrap(sub.recv()).getLong(), sub.recv());
        return true;
    }

    private void take(long number, byte[] payload) {
        if (number < lastHeard) {
            // Its numbers have begun again: another process, of which nothing is known yet.
            restarts++;
            applied.clear();
            places.clear();
            blocks.clear();
            next = 0;
        }
        lastHeard = number;
        if (number > next) {
            resynchronise(number);
        }
        if (number >= next) {
            apply(number, payload);
        }
    }

    /** Asks for all batches from the first that it lacks up to the one that it has just got. */
    void resynchronise(long upTo) {
        Map<Long, byte[]> kept = replay(next);
        lastHeard = Math.max(lastHeard, upTo - 1);
        for (; next < upTo; ) {
            byte[] payload = kept.get(next);
            if (payload == null) {
                lost.add(next++);
            } else {
                apply(next, payload);
            }
        }
    }

    /** What the server has kept from this number on. */
    Map<Long, byte[]> replay(long start) {
        dealer.sendMore(new byte[0]);
        dealer.send(SentBatches.bytes(start));
        Map<Long, byte[]> kept = new TreeMap<>();
        while (true) {
            byte[] empty = dealer.recv();
            assertThat(empty).as("an answer to a replay request").isEmpty();
            if (format == StreamOptions.Format.TRTLLM) {
                dealer.recv();
            }
            byte[] number = dealer.recv();
            byte[] payload = dealer.recv();
            assertThat(dealer.hasReceiveMore()).isFalse();
            if (payload.length == 0) {
                assertThat(number).containsOnly(0xff).hasSize(8);
                return kept;
            }
            kept.put(ByteBuffer.wrap(number).getLong(), payload);
        }
    }

    private void apply(long number, byte[] payload) {
        applied.add(number);
        next = number + 1;
        ArrayValue batch = decode(payload).asArrayValue();
        assertThat(batch.size()).isEqualTo(3);
        assertThat(batch.get(0).isFloatValue()).as("seconds").isTrue();
        assertThat(batch.get(2).asIntegerValue().asInt()).as("rank").isZero();
        batch.get(1).asArrayValue().forEach(this::event);
    }

    static Value decode(byte[] payload) {
        try (var unpacker = MessagePack.newDefaultUnpacker(payload)) {
            Value value = unpacker.unpackValue();
            assertThat(unpacker.hasNext()).as("anything behind the batch").isFalse();
            return value;
        } catch (IOException e) {
            throw new AssertionError(e);
        }
    }

    private void event(Value value) {
        Map<String, Value> e = fields(value);
        String kind = e.get("type").asStringValue().asString();
        kinds.add(kind);
        switch (kind) {
            case "BlockStored" -> stored(e);
            case "BlockRemoved" -> {
                for (Value hash : e.get("block_hashes").asArrayValue()) {
                    Place place = new Place(hash.asIntegerValue().asLong(), medium(e), group(e));
                    assertThat(places.remove(place))
                            .as("removed but never stored: %s", place)
                            .isTrue();
                }
            }
            case "AllBlocksCleared" -> {
                places.clear();
                blocks.clear();
            }
            default -> throw new AssertionError(kind);
        }
    }

    private Map<String, Value> fields(Value value) {
        Map<String, Value> out = new HashMap<>();
        if (format == StreamOptions.Format.VLLM) {
            List<String> names = value.asArrayValue()
                            .get(0)
                            .asStringValue()
                            .asString()
                            .equals("BlockStored")
                    ? List.of(
                            "type", "block_hashes", "parent_block_hash", "token_ids", "block_size", "lora_id", "medium")
                    : List.of("type", "block_hashes", "medium");
            for (int i = 0; i < value.asArrayValue().size(); i++) {
                out.put(names.get(i), value.asArrayValue().get(i));
            }
        } else {
            value.asMapValue().map().forEach((k, v) -> out.put(k.asStringValue().asString(), v));
        }
        return out;
    }

    private static String medium(Map<String, Value> e) {
        return e.get("medium").asStringValue().asString();
    }

    private static long group(Map<String, Value> e) {
        return e.getOrDefault("group_idx", ValueFactory.newInteger(-1))
                .asIntegerValue()
                .asLong();
    }

    private void stored(Map<String, Value> e) {
        ArrayValue hashes = e.get("block_hashes").asArrayValue();
        ArrayValue tokens = e.get("token_ids").asArrayValue();
        int size = e.get("block_size").asIntegerValue().asInt();
        assertThat(tokens.size()).as("R138, R032: tokens of whole blocks").isEqualTo(size * hashes.size());
        assertThat(e.get("lora_id").isNilValue()).isTrue();
        Value parent = e.get("parent_block_hash");
        for (int i = 0; i < hashes.size(); i++) {
            long hash = hashes.get(i).asIntegerValue().asLong();
            Place place = new Place(hash, medium(e), group(e));
            media.add(place.medium());
            assertThat(places.add(place)).as("stored twice: %s", place).isTrue();
            List<Integer> ids = new ArrayList<>();
            for (int t = i * size; t < (i + 1) * size; t++) {
                ids.add(tokens.get(t).asIntegerValue().asInt());
            }
            boolean hasParent = !parent.isNilValue();
            Told told = new Told(hasParent, hasParent ? parent.asIntegerValue().asLong() : 0, ids);
            Told before = blocks.put(hash, told);
            assertThat(before == null || before.equals(told))
                    .as("one block per hash")
                    .isTrue();
            parent = hashes.get(i);
        }
    }

    Set<Place> places() {
        return Set.copyOf(places);
    }

    /** Tokens of the longest prefix of a prompt that the server has, by what it has told. */
    int overlap(int[] prompt, int blockSize) {
        long parent = 0;
        int blocksFound = 0;
        Set<Long> here = new HashSet<>();
        places.forEach(p -> here.add(p.hash()));
        while ((blocksFound + 1) * blockSize <= prompt.length) {
            List<Integer> ids = new ArrayList<>();
            for (int t = blocksFound * blockSize; t < (blocksFound + 1) * blockSize; t++) {
                ids.add(prompt[t]);
            }
            Told wanted = new Told(blocksFound > 0, parent, ids);
            Long found = null;
            for (long hash : here) {
                if (wanted.equals(blocks.get(hash))) {
                    found = hash;
                }
            }
            if (found == null) {
                break;
            }
            parent = found;
            blocksFound++;
        }
        return blocksFound * blockSize;
    }

    static String text(byte[] frame) {
        return new String(frame, StandardCharsets.UTF_8);
    }

    @Override
    public void close() {
        context.close();
    }
}
