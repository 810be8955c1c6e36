import { z } from "zod";
import { pageItemsMax } from "../../../lib/input/page.ts";

/** The query of a paginated list. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(pageItemsMax).default(pageItemsMax),
  after: z.string().optional().meta({ description: "The `next` of the previous page." }),
});

const idsMax = 100;
const idLength = 36;

/** The ids of things that are named together. */
export const idsQuery = z
  .string()
  .max(idsMax * (idLength + 1))
  .regex(/^[0-9a-f-]{36}(?:,[0-9a-f-]{36}){0,99}$/i, {
    error: `must be at most ${idsMax} ids with commas in between.`,
  })
  .optional()
  .meta({ description: `Only these: at most ${idsMax} ids with commas in between.` });

/** The ids of a text that `idsQuery` has checked. */
export function toIds(text: string | undefined): string[] | undefined {
  return text?.toLowerCase().match(/[0-9a-f-]{36}/g) ?? undefined;
}

export const nextSchema = z
  .string()
  .nullable()
  .meta({ description: "The `after` of the next page; null on the last page." });
