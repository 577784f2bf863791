package rondo.server.kvevents;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.HexFormat;
import java.util.List;
import org.junit.jupiter.api.Test;
import rondo.kv.KvEvent;
import rondo.kv.Tier;

/**
 * The three forms, byte for byte. The goldens were made with Python's msgpack 1.0.3 from the structures beside them:
 * {@code msgpack.packb([1.5, [events], 0]).hex()}.
 */
class EventPackerTest {
    private static final List<KvEvent> EVENTS = List.of(
            Events.stored(1, Events.FIRST, Events.SECOND),
            Events.storedBelow(0, Events.FIRST, Events.SECOND),
            Events.removed(1, Tier.HOST, Events.FIRST),
            new KvEvent.Cleared());

    private static String pack(StreamOptions.Format format) {
        return HexFormat.of().formatHex(new EventPacker(format, Events.HYBRID).pack(1.5, WireEvent.of(EVENTS)));
    }

    @Test
    void trtllmIsMapsInAPositionalEnvelope() {
        assertThat(pack(StreamOptions.Format.TRTLLM))
                .isEqualTo(
                        "93cb3ff80000000000009488a474797065ab426c6f636b53746f726564ac626c6f636b5f68617368657392d3e432"
                                + "228522a304abcf756b1d258c63ccc0b1706172656e745f626c6f636b5f68617368c0a9746f6b656e5f6964739801"
                                + "02030405060708aa626c6f636b5f73697a6504a76c6f72615f6964c0a66d656469756da3475055a967726f75705f"
                                + "6964780188a474797065ab426c6f636b53746f726564ac626c6f636b5f68617368657391cf756b1d258c63ccc0b1"
                                + "706172656e745f626c6f636b5f68617368d3e432228522a304aba9746f6b656e5f6964739405060708aa626c6f63"
                                + "6b5f73697a6504a76c6f72615f6964c0a66d656469756da3475055a967726f75705f6964780084a474797065ac42"
                                + "6c6f636b52656d6f766564ac626c6f636b5f68617368657391d3e432228522a304aba66d656469756da3435055a9"
                                + "67726f75705f6964780181a474797065b0416c6c426c6f636b73436c656172656400");
    }

    @Test
    void vllmIsPositionalWithMediumLast() {
        assertThat(pack(StreamOptions.Format.VLLM))
                .isEqualTo(
                        "93cb3ff80000000000009497ab426c6f636b53746f72656492d3e432228522a304abcf756b1d258c63ccc0c09801"
                                + "0203040506070804c0a347505597ab426c6f636b53746f72656491cf756b1d258c63ccc0d3e432228522a304ab94"
                                + "0506070804c0a347505593ac426c6f636b52656d6f76656491d3e432228522a304aba343505591b0416c6c426c6f"
                                + "636b73436c656172656400");
    }

    @Test
    void vllmMapTellsTheKindOfItsGroup() {
        assertThat(pack(StreamOptions.Format.VLLM_MAP))
                .isEqualTo(
                        "93cb3ff8000000000000948aa474797065ab426c6f636b53746f726564ac626c6f636b5f68617368657392d3e432"
                                + "228522a304abcf756b1d258c63ccc0b1706172656e745f626c6f636b5f68617368c0a9746f6b656e5f6964739801"
                                + "02030405060708aa626c6f636b5f73697a6504a76c6f72615f6964c0a66d656469756da3475055a96c6f72615f6e"
                                + "616d65c0a967726f75705f69647801b26b765f63616368655f737065635f6b696e64ae66756c6c5f617474656e74"
                                + "696f6e8ba474797065ab426c6f636b53746f726564ac626c6f636b5f68617368657391cf756b1d258c63ccc0b170"
                                + "6172656e745f626c6f636b5f68617368d3e432228522a304aba9746f6b656e5f6964739405060708aa626c6f636b"
                                + "5f73697a6504a76c6f72615f6964c0a66d656469756da3475055a96c6f72615f6e616d65c0a967726f75705f6964"
                                + "7800b26b765f63616368655f737065635f6b696e64ae736c6964696e675f77696e646f77bc6b765f63616368655f"
                                + "737065635f736c6964696e675f77696e646f770884a474797065ac426c6f636b52656d6f766564ac626c6f636b5f"
                                + "68617368657391d3e432228522a304aba66d656469756da3435055a967726f75705f6964780181a474797065b041"
                                + "6c6c426c6f636b73436c656172656400");
    }

    @Test
    void aMovedBlockIsStoredAtItsNewPlaceBeforeItLeavesTheOld() {
        KvEvent.Moved out = Events.moved(1, Events.FIRST, Tier.DEVICE, Tier.HOST);
        KvEvent.Moved in = Events.moved(1, Events.FIRST, Tier.HOST, Tier.DEVICE);
        List<KvEvent.Key> key = List.of(Events.FIRST.key());
        assertThat(WireEvent.of(List.of(out, in)))
                .containsExactly(
                        new WireEvent.Stored(1, out.parent(), List.of(Events.FIRST), Tier.HOST),
                        new WireEvent.Removed(1, key, Tier.DEVICE),
                        new WireEvent.Stored(1, in.parent(), List.of(Events.FIRST), Tier.DEVICE),
                        new WireEvent.Removed(1, key, Tier.HOST));
    }

    @Test
    void removalsFromTwoTiersAreTwoEvents() {
        KvEvent.Removed both = new KvEvent.Removed(
                1,
                List.of(
                        new KvEvent.Gone(Events.SECOND.key(), Tier.HOST, true),
                        new KvEvent.Gone(Events.FIRST.key(), Tier.DEVICE, true)));
        assertThat(WireEvent.of(List.of(both)))
                .containsExactly(
                        new WireEvent.Removed(1, List.of(Events.FIRST.key()), Tier.DEVICE),
                        new WireEvent.Removed(1, List.of(Events.SECOND.key()), Tier.HOST));
    }

    /** R138: a router cuts prompts into whole blocks; a part of one would give it a block of a size that it does not have. */
    @Test
    void onlyWholeBlocksOfTheFullLifeCycleAreRoutable() {
        RoutableEvents routable = new RoutableEvents(Events.HYBRID, false);
        assertThat(routable.of(new KvEvent.Created(1, 5, 0))).isNull();
        assertThat(routable.of(Events.stored(0, Events.FIRST))).isNull();
        assertThat(routable.of(Events.removed(0, Tier.DEVICE, Events.FIRST))).isNull();
        assertThat(routable.of(Events.stored(1, Events.FIRST, Events.PART))).isEqualTo(Events.stored(1, Events.FIRST));
        assertThat(routable.of(Events.storedBelow(1, Events.FIRST, Events.PART)))
                .isNull();
        assertThat(routable.of(Events.removed(1, Tier.DEVICE, Events.PART, Events.FIRST)))
                .isEqualTo(Events.removed(1, Tier.DEVICE, Events.FIRST));
        assertThat(routable.of(Events.removed(1, Tier.DEVICE, Events.PART))).isNull();
        assertThat(routable.of(Events.moved(1, Events.PART, Tier.DEVICE, Tier.HOST)))
                .isNull();
        KvEvent moved = Events.moved(1, Events.FIRST, Tier.DEVICE, Tier.HOST);
        assertThat(routable.of(moved)).isEqualTo(moved);

        RoutableEvents all = new RoutableEvents(Events.HYBRID, true);
        assertThat(all.of(Events.stored(0, Events.FIRST))).isEqualTo(Events.stored(0, Events.FIRST));
    }
}
