/** What limits the answer of a tool. How many bytes of a result the client gets is the setting `resultBytesMax`. */

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

/** The content of all blocks of one result together. It is passed on whole, unlike results, which are cut. */
export const contentBytesMax = 5 * 1024 * 1024;
export const contentBlocksMax = 100;

/** Messages of failures and of progress wait for slow readers and fill logs, so their length is limited. */
export const messageBytesMax = 4 * 1024;
export const detailsBytesMax = 16 * 1024;

/** Every answer is searched for each secret in all its encodings, so their number is limited. */
export const secretsMax = 100;
