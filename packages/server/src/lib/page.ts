import { z } from "zod";
import { checkInput, toBadRequest } from "./check-input.ts";
import { type Cursor, parseCursor, toCursorText } from "./cursor.ts";

/** Default and maximum page size of every list. */
export const pageItemsMax = 1000;

const pageSchema = z.object({
  limit: z
    .int({ error: "must be a whole number." })
    .min(1, { error: "must be at least 1." })
    .max(pageItemsMax, { error: `must be at most ${pageItemsMax}.` })
    .default(pageItemsMax),
  after: z.string().optional(),
});

/** `after` is the `next` of the previous page. */
export type PageInput = { limit?: number | undefined; after?: string | undefined };

/** One page of a list; `next` is null on the last one. */
export type Page<Item> = { items: Item[]; next: string | null };

/**
 * Reads one page. `read` is asked for one item more than the limit, which shows whether another
 * page exists. `toCursor` returns an item's position in the list.
 */
export async function readPage<Item>(
  input: PageInput,
  list: {
    keyType: "string" | "number";
    read(after: Cursor | undefined, limit: number): Promise<Item[]>;
    toCursor(item: Item): Cursor;
  },
): Promise<Page<Item>> {
  const { limit, cursor } = parsePage(input, list.keyType);
  const found = await list.read(cursor, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const isMore = found.length > limit && last !== undefined;
  return { items, next: isMore ? toCursorText(list.toCursor(last)) : null };
}

/** The size of a page and the position after which it begins. Throws if they are not valid. */
export function parsePage(
  input: PageInput,
  keyType: "string" | "number",
): { limit: number; cursor: Cursor | undefined } {
  const { limit, after } = checkInput(pageSchema, input);
  const cursor = after === undefined ? undefined : parseCursor(after, keyType);
  if (cursor === null) {
    throw toBadRequest([{ path: "after", message: "must be the `next` of the previous page." }]);
  }
  return { limit, cursor };
}
