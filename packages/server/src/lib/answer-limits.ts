/** Work on more than this does not run on the event loop: it would keep other callers waiting. */
export const loopBytesMax = 256 * 1024;

/** Nor does work on more values than this: each costs as much as many characters. */
export const loopValuesMax = 16_000;

/** The most that is read of one answer. */
export const answerBytesMax = 16 * 1024 * 1024;

/** One million values take about 100 MiB once they are parsed. */
export const answerValuesMax = 1_000_000;

/** Deeper than any honest result, and shallow enough for every walk over it. */
export const answerDepthMax = 256;
