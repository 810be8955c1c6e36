import { foldAt, foldCase } from "../views/fold-case.ts";

/** The parts of a needle that the index uses. */
export type IndexedText = { text: string; ignoreCase: boolean };

/**
 * Finds candidates for many needles and reads few characters (Wu and Manber, 1994). A window with
 * the length of the shortest needle slides over the text. A table maps the window's last three
 * characters either to the distance that the window can slide, or to the needles to compare.
 */
export type NeedleIndex = {
  /** The length of the window; 0 if all needles are too short for it. */
  windowChars: number;
  hashMask: number;
  /**
   * The slide distance for each hash of three characters; 0 means that needles must be compared.
   */
  shifts: Uint8Array;
  /**
   * For each hash, one plus the index of the first needle whose window ends with it; `nexts` has
   * the next needle of each.
   */
  heads: Uint32Array;
  nexts: Uint32Array;
  /** Needles that are shorter than three characters. They are searched one by one. */
  short: readonly number[];
  /**
   * For long needles that partly matched: for each index, how many characters from there equal the
   * needle's beginning.
   */
  repeats: Map<number, Uint32Array>;
};

/** For longer needles, no character of the text is compared twice. */
const compareAgainChars = 32;

const gramChars = 3;
const windowCharsMax = 24;
const hashBitsMin = 10;
const hashBitsMax = 18;

/**
 * The class of a character in hashes. Letters have the same class in both cases. All characters
 * that can equal a non-ASCII character without case share class 1 (k and s: the Kelvin sign, the
 * long s).
 */
const classes = new Uint8Array(65_536).fill(1);
for (let code = 0; code < 128; code += 1) {
  const lower = String.fromCharCode(code).toLowerCase();
  classes[code] = lower === "k" || lower === "s" ? 1 : lower.charCodeAt(0) + 2;
}

export function createNeedleIndex(needles: readonly IndexedText[]): NeedleIndex {
  const short: number[] = [];
  let windowChars = windowCharsMax;
  let count = 0;
  for (const [index, { text }] of needles.entries()) {
    if (text.length < gramChars) {
      short.push(index);
    } else {
      windowChars = Math.min(windowChars, text.length);
      count += 1;
    }
  }
  if (count === 0) windowChars = 0;
  const grams = count * (windowChars - gramChars + 1);
  const hashBits = Math.min(
    hashBitsMax,
    Math.max(hashBitsMin, Math.ceil(Math.log2(grams * 8 + 1))),
  );
  const hashMask = 2 ** hashBits - 1;
  const shifts = new Uint8Array(hashMask + 1).fill(Math.max(windowChars - gramChars + 1, 0));
  const heads = new Uint32Array(hashMask + 1);
  const nexts = new Uint32Array(needles.length);
  for (const [index, { text }] of needles.entries()) {
    if (text.length < gramChars) continue;
    for (let end = gramChars; end <= windowChars; end += 1) {
      const hash = hashAt(text, end - 1) & hashMask;
      shifts[hash] = Math.min(shifts[hash] ?? 0, windowChars - end);
      if (end < windowChars) continue;
      nexts[index] = heads[hash] ?? 0;
      heads[hash] = index + 1;
    }
  }
  return { windowChars, hashMask, shifts, heads, nexts, short, repeats: new Map() };
}

/**
 * Calls `onFound` for each match of each needle between two indexes. Returns the number of steps.
 */
export function searchNeedles(
  text: string,
  { from, to }: { from: number; to: number },
  { index, list, stepsMax }: { index: NeedleIndex; list: readonly IndexedText[]; stepsMax: number },
  onFound: OnFound,
): number {
  const { windowChars, hashMask, shifts, heads } = index;
  let steps = 0;
  for (const needle of index.short) steps += searchShort(text, { from, to }, list, needle, onFound);
  if (windowChars === 0) return steps;
  // Two windows alternate, one in each half. Most of the time of a slide is waiting for memory,
  // and the processor waits for both windows at once.
  const half = Math.max(from + windowChars - 1, (from + to) >> 1);
  let first = from + windowChars - 1;
  let second = half;
  // Matches are in the order of the text, because sorted lists are merged faster.
  const later: number[] = [];
  const inFirst: Comparison = { text, to, index, list, seen: new Map(), onFound };
  const inSecond: Comparison = {
    ...inFirst,
    seen: new Map(),
    onFound(needle, start) {
      later.push(needle, start);
      return 0;
    },
  };
  while (steps <= stepsMax && (first < half || second < to)) {
    const firstHash = first < half ? hashAt(text, first) & hashMask : -1;
    const secondHash = second < to ? hashAt(text, second) & hashMask : -1;
    const firstShift = shifts[firstHash] ?? 1;
    const secondShift = shifts[secondHash] ?? 1;
    steps += 2;
    if (firstShift === 0) steps += compareNeedles(inFirst, heads[firstHash] ?? 0, first);
    if (secondShift === 0) steps += compareNeedles(inSecond, heads[secondHash] ?? 0, second);
    first += firstShift || 1;
    second += secondShift || 1;
  }
  for (let at = 0; at < later.length && steps <= stepsMax; at += 2) {
    steps += onFound(later[at] ?? 0, later[at + 1] ?? 0);
  }
  return steps;
}

/** Returns the number of steps that it took. */
type OnFound = (needle: number, start: number) => number;

type Comparison = {
  text: string;
  to: number;
  index: NeedleIndex;
  list: readonly IndexedText[];
  seen: Seen;
  onFound: OnFound;
};

/**
 * Compares needles with the text whose window ends at an index, `head` and the next of each.
 * Returns the number of steps.
 */
function compareNeedles(
  { text, to, index, list, seen, onFound }: Comparison,
  head: number,
  last: number,
): number {
  const start = last - index.windowChars + 1;
  let steps = 0;
  for (let next = head; next !== 0; next = index.nexts[next - 1] ?? 0) {
    const needle = list[next - 1];
    if (needle === undefined || start + needle.text.length > to) continue;
    const known = findKnown(index, { needle: next - 1, text: needle.text }, seen, start);
    steps += 1;
    if (known === -1) continue;
    const same = countSame(text, start, needle, known);
    steps += same - known;
    if (same > compareAgainChars) seen.set(next - 1, { start, same });
    if (same === needle.text.length) steps += onFound(next - 1, start);
  }
  return steps;
}

/** For each needle, the start and length of its last partial match. */
type Seen = Map<number, { start: number; same: number }>;

/**
 * The number of characters of a needle that are known to match here from earlier comparisons; -1 if
 * it is known not to match. Otherwise, a secret that repeats itself would be compared at each
 * repetition.
 */
function findKnown(
  { repeats }: NeedleIndex,
  { needle, text }: { needle: number; text: string },
  seen: Seen,
  start: number,
): number {
  const last = text.length > compareAgainChars ? seen.get(needle) : undefined;
  if (last === undefined || start >= last.start + last.same) return 0;
  const list = repeats.get(needle) ?? listRepeats(text);
  repeats.set(needle, list);
  const shift = start - last.start;
  const overlap = last.same - shift;
  return (list[shift] ?? 0) < overlap ? -1 : overlap;
}

/**
 * For each index of a text, how many characters from there equal its beginning (the Z algorithm).
 */
function listRepeats(text: string): Uint32Array {
  const repeats = new Uint32Array(text.length);
  let [left, right] = [0, 0];
  for (let at = 1; at < text.length; at += 1) {
    let same = at < right ? Math.min(right - at, repeats[at - left] ?? 0) : 0;
    while (at + same < text.length && text.charCodeAt(same) === text.charCodeAt(at + same)) {
      same += 1;
    }
    repeats[at] = same;
    if (at + same > right) [left, right] = [at, at + same];
  }
  return repeats;
}

/** The number of matching characters of a needle, up to the first difference. */
function countSame(
  text: string,
  start: number,
  { text: needle, ignoreCase }: IndexedText,
  known: number,
): number {
  for (let at = known; at < needle.length; at += 1) {
    const code = text.charCodeAt(start + at);
    const wanted = needle.charCodeAt(at);
    if (code === wanted) continue;
    if (!ignoreCase) return at;
    if (code >= 0x41 && code <= 0x5a && code + 0x20 === wanted) continue;
    if (code < 0x80) return at;
    // If only the low surrogates differ, the whole characters are folded.
    const first = isSecondHalf(text, start + at) ? at - 1 : at;
    if (first < 0) return at;
    const folded = foldAt(text, start + first);
    if (!needle.startsWith(folded, first)) return at;
    at = first + folded.length - 1;
  }
  return needle.length;
}

function isSecondHalf(text: string, index: number): boolean {
  const [before, code] = [text.charCodeAt(index - 1), text.charCodeAt(index)];
  return code >> 10 === 0x37 && before >> 10 === 0x36;
}

/** The hash of the three characters that end at an index. */
function hashAt(text: string, last: number): number {
  const first = classes[text.charCodeAt(last - 2)] ?? 0;
  const second = classes[text.charCodeAt(last - 1)] ?? 0;
  const third = classes[text.charCodeAt(last)] ?? 0;
  return (
    (Math.imul(first, 0x2f0b4c47) ^
      Math.imul(second, 0x51ed27f5) ^
      Math.imul(third, 0x3c6ef35f)) >>>
    12
  );
}

function searchShort(
  text: string,
  { from, to }: { from: number; to: number },
  list: readonly IndexedText[],
  index: number,
  onFound: OnFound,
): number {
  const needle = list[index];
  if (needle === undefined) return 0;
  const { text: wanted, ignoreCase } = needle;
  const within = from === 0 && to === text.length ? text : text.slice(from, to);
  const haystack = ignoreCase ? foldCase(within) : within;
  let found = 0;
  for (let at = haystack.indexOf(wanted); at !== -1; at = haystack.indexOf(wanted, at + 1)) {
    found += 1 + onFound(index, from + at);
  }
  return found + Math.ceil(within.length / 16);
}
