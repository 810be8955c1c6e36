/** A caller who was found this long ago is looked up again: a body may take minutes to arrive. */
export const staleMs = 1_000;
