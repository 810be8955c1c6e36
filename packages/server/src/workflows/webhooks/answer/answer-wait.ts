/** How long a request waits for the answer of its run, in ms. */
export const answerWaitMs = 30_000;
