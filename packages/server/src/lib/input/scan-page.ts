import { yieldToEventLoop } from "../time/yield-to-event-loop.ts";

/** A position in a list that is newest first. */
export type ScanPosition = { createdAt: number; id: string };

/** What one look blocks the event loop for some milliseconds, also if the entries are large. */
export const scannedAtOnce = 250;
/** Entries that one page looks at. Rare matches are found over several pages. */
export const scannedMax = 20_000;

type ScannedList<Item> = {
  /** The matches among the next `scannedAtOnce` entries, at most `limit`. */
  read(after: ScanPosition | undefined, limit: number): Promise<Item[]>;
  /** The position of the last of these entries. Null if there are fewer. */
  findEnd(after: ScanPosition | undefined): Promise<ScanPosition | null>;
};

/** One page of the matches. `end` is the place after which the next page goes on; null if none is left. */
export async function scanPage<Item extends ScanPosition>(
  { read, findEnd }: ScannedList<Item>,
  start: ScanPosition | undefined,
  limit: number,
): Promise<{ items: Item[]; end: ScanPosition | null }> {
  const items: Item[] = [];
  let after = start;
  for (let scanned = 0; scanned < scannedMax; scanned += scannedAtOnce) {
    const rest = limit - items.length;
    const found = await read(after, rest + 1);
    items.push(...found.slice(0, rest));
    const last = items.at(-1);
    if (found.length > rest && last !== undefined) return { items, end: last };
    const end = await findEnd(after);
    if (end === null) return { items, end };
    after = end;
    await yieldToEventLoop();
  }
  return { items, end: after ?? null };
}

/** The number of matches, up to `countMax`. */
export async function countScanned(
  {
    count,
    findEnd,
  }: { count(after: ScanPosition | undefined): Promise<number> } & Pick<
    ScannedList<never>,
    "findEnd"
  >,
  countMax: number,
): Promise<number> {
  let total = 0;
  let after: ScanPosition | undefined;
  for (let scanned = 0; scanned < scannedMax; scanned += scannedAtOnce) {
    total += await count(after);
    const end = await findEnd(after);
    if (end === null || total >= countMax) break;
    after = end;
    await yieldToEventLoop();
  }
  return Math.min(total, countMax);
}
