import { z } from "zod";
import { yieldToEventLoop } from "../time/yield-to-event-loop.ts";
import { checkInput, toBadRequest } from "./check-input.ts";
import { type Cursor, parseCursor, toCursorText } from "./page-cursor.ts";

/** Default and maximum page size of every list. */
export const pageItemsMax = 1000;
/** So many items are read in one step of the event loop. */
const stepItemsMax = 200;

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

type ListReader<Item> = {
  keyType: "string" | "number";
  /** At most `limit` items after this position; fewer only at the end of the list. */
  read(after: Cursor | undefined, limit: number): Promise<Item[]>;
  /** The position of an item in the list. */
  toCursor(item: Item): Cursor;
};

/** Reads one page, and one item more, which shows whether another page exists. */
export async function readPage<Item>(
  input: PageInput,
  list: ListReader<Item>,
): Promise<Page<Item>> {
  const { limit, cursor } = parsePage(input, list.keyType);
  const found = await readInSteps(list, cursor, limit + 1);
  const items = found.slice(0, limit);
  const last = items.at(-1);
  const isMore = found.length > limit && last !== undefined;
  return { items, next: isMore ? toCursorText(list.toCursor(last)) : null };
}

async function readInSteps<Item>(
  { read, toCursor }: ListReader<Item>,
  start: Cursor | undefined,
  limit: number,
): Promise<Item[]> {
  const items: Item[] = [];
  for (let after = start; ; ) {
    const wanted = Math.min(stepItemsMax, limit - items.length);
    const found = await read(after, wanted);
    items.push(...found);
    const last = found.at(-1);
    if (last === undefined || found.length < wanted || items.length === limit) return items;
    after = toCursor(last);
    await yieldToEventLoop();
  }
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
