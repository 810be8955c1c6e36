/** A caller who was found this long ago is looked up again: a body may take minutes to arrive. */
export const staleMs = 1_000;

/** A connection without traffic for this long is closed. */
export const idleSecondsMax = 30;
