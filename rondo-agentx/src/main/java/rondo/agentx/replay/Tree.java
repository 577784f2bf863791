package rondo.agentx.replay;

import java.util.ArrayList;
import java.util.BitSet;
import java.util.List;
import org.jspecify.annotations.Nullable;
import rondo.agentx.plan.Conversation;
import rondo.agentx.plan.TurnRef;

/** The state of one play: which conversations run, wait or are done. */
final class Tree {
    static final long NEVER = Long.MAX_VALUE;

    final Play play;
    final List<Stream> streams = new ArrayList<>();

    /** Requests on the wire. */
    int inFlight;

    /** When the idle watchdog fires, or {@link #NEVER}. */
    long watchdog = NEVER;

    Tree(Play play) {
        this.play = play;
        List<Conversation> conversations = play.plan().conversations();
        for (int c = 0; c < conversations.size(); c++) {
            streams.add(new Stream(this, c, conversations.get(c)));
        }
    }

    Stream root() {
        return streams.getFirst();
    }

    /** Root done and every started child done. */
    boolean drained() {
        return streams.stream().allMatch(s -> s.state == State.DONE || s.state == State.UNBORN)
                && root().state == State.DONE;
    }

    /** Whether barrier and join let the stream's next turn go. */
    boolean open(Stream stream) {
        for (TurnRef before : stream.conversation.turns().get(stream.next).predecessors()) {
            Stream other = streams.get(before.conversation());
            if (other.state != State.DONE && !other.completed.get(before.turn())) {
                return false;
            }
        }
        if (stream.index == 0) {
            for (Stream child : streams) {
                if (child.conversation.gateTurn() == stream.next && child.state != State.DONE) {
                    return false;
                }
            }
        }
        return true;
    }

    /** What a conversation is doing. */
    enum State {
        /** Not started yet. */
        UNBORN,
        /** Its next turn has a timer. */
        TIMED,
        /** The timer has fired; a barrier or a join holds the turn back. */
        RETAINED,
        IN_FLIGHT,
        DONE
    }

    /** One conversation of the tree. */
    static final class Stream {
        final Tree tree;
        final int index;
        final Conversation conversation;
        final BitSet completed = new BitSet();
        State state = State.UNBORN;
        int next;

        /** When the next turn is or was due; meaningful in TIMED and RETAINED. */
        long due;

        @Nullable
        TurnRequest request;

        Stream(Tree tree, int index, Conversation conversation) {
            this.tree = tree;
            this.index = index;
            this.conversation = conversation;
        }

        double recordedStart() {
            return conversation.turns().get(next).start();
        }
    }
}
