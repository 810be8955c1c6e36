import { createTextFinder } from "@hub/connector";

/** Finds all texts that contain a needle, ignoring case, in one pass over the joined texts. */
export type TextScanner = {
  /** For each id: 1 if its text contains the needle. An empty needle is in every text. */
  scan(needle: string): Uint8Array;
};

/** Ends each text. Queries with this character find nothing. */
const separator = "\0";

/** `size` is one more than the highest id. */
export function createTextScanner(
  texts: ReadonlyArray<{ id: number; text: string }>,
  size: number,
): TextScanner {
  const joined = texts
    .map(({ text }) => text)
    .join(separator)
    .toLowerCase();
  const ids = Uint32Array.from(texts, ({ id }) => id);
  const ends = listEnds(joined, texts.length);
  return {
    scan(needle) {
      const contains = new Uint8Array(size);
      const wanted = needle.trim().toLowerCase();
      if (wanted === "") return contains.fill(1);
      if (wanted.includes(separator)) return contains;
      let at = 0;
      const find = createTextFinder(wanted);
      let start = find(joined);
      while (start !== -1) {
        while ((ends[at] ?? 0) <= start) at += 1;
        contains[ids[at] ?? 0] = 1;
        start = find(joined, ends[at]);
      }
      return contains;
    },
  };
}

/** Where each text ends in the joined text. */
function listEnds(joined: string, count: number): Uint32Array {
  const ends = new Uint32Array(count).fill(joined.length);
  let end = joined.indexOf(separator);
  for (let at = 0; end !== -1 && at < count; at += 1) {
    ends[at] = end;
    end = joined.indexOf(separator, end + 1);
  }
  return ends;
}
