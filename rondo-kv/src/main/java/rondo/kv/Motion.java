package rondo.kv;

/**
 * What a page is doing besides lying where it is. A copy owns the slots at both its ends until it has landed, whatever
 * becomes of its page meanwhile: a page that nobody wants any more goes when its copy has landed.
 */
final class Motion {
    /** Nothing. */
    static final byte STILL = 0;
    /** On the device, a copy to the host is under way; it may be taken back, or give up its device slot early. */
    static final byte LEAVING = 1;
    /** As {@link #LEAVING}, but taken back: it stays on the device. */
    static final byte KEPT = 2;
    /** On the host, where its copy is still to land: its device slot was promised to another page. */
    static final byte ARRIVING = 3;
    /** On the host, with a device slot of its own, for which the copy could not be planned yet. */
    static final byte CALLED = 4;
    /** On the host, a copy to its device slot is under way. */
    static final byte ENTERING = 5;
    /** A new page on the device that is to be a copy of another one, which could not be planned yet. */
    static final byte BLANK = 6;
    /** A new page on the device, a copy into it is under way. */
    static final byte FILLING = 7;

    private Motion() {}
}
