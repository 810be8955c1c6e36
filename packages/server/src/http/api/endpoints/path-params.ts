import { z } from "zod";

/** A row is named by its whole id: labels and beginnings of ids are for people at a terminal. */
export const byRow = z.object({ row: z.uuid().meta({ description: "Id of a row." }) });

export const byRowAndOperation = byRow.extend({
  operation: z.string().meta({ description: "Key of an operation." }),
});

export const byUser = z.object({ user: z.uuid().meta({ description: "Id of a user." }) });

/** Narrows a list of what belongs to people down to one of them. */
export const ofUser = z.strictObject({
  user: z.uuid().optional().meta({ description: "Id of a user." }),
});
