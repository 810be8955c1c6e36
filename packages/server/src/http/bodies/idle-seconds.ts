/** A connection without traffic for this long is closed. */
export const idleSecondsMax = 30;
