import { z } from "zod";
import { pageItemsMax } from "../../../lib/input/page.ts";

/** The query of a paginated list. */
export const pageQuery = z.strictObject({
  limit: z.coerce.number().int().min(1).max(pageItemsMax).default(pageItemsMax),
  after: z.string().optional().meta({ description: "The `next` of the previous page." }),
});

export const nextSchema = z
  .string()
  .nullable()
  .meta({ description: "The `after` of the next page; null on the last page." });
