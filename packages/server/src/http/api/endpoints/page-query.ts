import { z } from "zod";
import { pageItemsMax } from "../../../services/page.ts";

/** What a list that comes in pages takes. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(pageItemsMax).default(pageItemsMax),
  after: z.string().optional().meta({ description: "`next` of the page before." }),
});

export const nextSchema = z
  .string()
  .nullable()
  .meta({ description: "What to give as `after` for the next page; null on the last one." });
