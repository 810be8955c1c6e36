import { z } from "zod";

/** A row is named by its whole id: labels and beginnings of ids are for people at a terminal. */
export const byRow = z.object({ row: z.uuid() });

export const byRowAndOperation = byRow.extend({ operation: z.string() });
