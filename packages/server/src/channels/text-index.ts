/** Finds the entries whose text may occur in a message, without a search for each of them. */
export type TextIndex<Entry> = {
  /** Entries with a text of less than `partChars` are not taken. */
  add(text: string, entry: Entry): boolean;
  /** A superset of the entries whose text is in the message. Linear in the message. */
  findCandidates(message: string): Entry[][];
};

const partChars = 3;
/** Parts of one text that are looked at for a rare one. */
const partsMax = 32;
/** A power of two. A message is first compared with this table of the parts that occur at all. */
const tableSize = 65_536;

/**
 * Each entry is filed under one part of its text, the one under which the fewest are filed already.
 * So texts that begin alike, such as `order 1` and `order 2`, are still told apart.
 */
export function createTextIndex<Entry>(): TextIndex<Entry> {
  const byPart = new Map<string, Entry[]>();
  let table: Uint8Array | null = null;
  return {
    add(text, entry) {
      if (text.length < partChars) return false;
      const part = findRarest(text, byPart);
      const filed = byPart.get(part);
      if (filed === undefined) byPart.set(part, [entry]);
      else filed.push(entry);
      table ??= new Uint8Array(tableSize);
      table[toSlot(part, 0)] = 1;
      return true;
    },
    findCandidates(message) {
      if (table === null) return [];
      const found = new Set<Entry[]>();
      for (let at = 0; at + partChars <= message.length; at += 1) {
        if (table[toSlot(message, at)] === 0) continue;
        const filed = byPart.get(message.slice(at, at + partChars));
        if (filed !== undefined) found.add(filed);
      }
      return [...found];
    },
  };
}

function findRarest(text: string, byPart: ReadonlyMap<string, readonly unknown[]>): string {
  let rarest = text.slice(0, partChars);
  let fewest = byPart.get(rarest)?.length ?? 0;
  const end = Math.min(text.length - partChars, partsMax - 1);
  // The end of a text first: that is where those of a series differ.
  for (let back = 0; back <= end && fewest > 0; back += 1) {
    const at = text.length - partChars - back;
    const part = text.slice(at, at + partChars);
    const count = byPart.get(part)?.length ?? 0;
    if (count < fewest) [rarest, fewest] = [part, count];
  }
  return rarest;
}

function toSlot(text: string, at: number): number {
  const hash = text.charCodeAt(at) * 961 + text.charCodeAt(at + 1) * 31 + text.charCodeAt(at + 2);
  return hash & (tableSize - 1);
}
