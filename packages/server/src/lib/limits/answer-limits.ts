/** Larger answers are not processed on the event loop, where they would delay other callers. */
export const loopBytesMax = 256 * 1024;

/** The same limit in values, because each value costs as much as many characters. */
export const loopValuesMax = 16_000;

/** The maximum size of one answer. */
export const answerBytesMax = 16 * 1024 * 1024;

/** One million values take about 100 MiB once they are parsed. */
export const answerValuesMax = 1_000_000;

/** Deeper than results need, and safe for recursive functions. */
export const answerDepthMax = 256;
