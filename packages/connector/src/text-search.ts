/** Counts characters that a search is about to read, or has read. It may throw to stop the search. */
export type ChargeChars = (chars: number) => void;

/**
 * The engine finds longer texts in time that grows with both lengths multiplied: half a MiB in one
 * MiB of the same letter takes minutes. Up to this length it is the fastest, whatever the text is.
 */
const nativeCharsMax = 64;

/**
 * Finds a text in another one. The time is linear in the two lengths for every input, unlike that of
 * `String#indexOf`. Use it wherever both texts come from outside. Returns -1 if there is none.
 *
 * @example
 * const at = findText(answer.body, params.marker);
 */
export function findText(text: string, needle: string, from = 0, charge?: ChargeChars): number {
  return createTextFinder(needle, charge)(text, from);
}

/**
 * Whether a text contains another one, in time that is linear in the two lengths for every input.
 *
 * @example
 * const named = repositories.filter(({ name }) => containsText(name, params.query));
 */
export function containsText(text: string, needle: string, charge?: ChargeChars): boolean {
  if (needle.length > nativeCharsMax) return findText(text, needle, 0, charge) !== -1;
  charge?.(text.length);
  return text.includes(needle);
}

/**
 * How often a text contains another one, without overlap, in time that is linear in the two lengths
 * for every input. A needle without characters is counted 0 times.
 */
export function countText(text: string, needle: string, charge?: ChargeChars): number {
  if (needle === "") return 0;
  // Many short matches are charged together, since they are found faster than they are charged.
  const isShort = needle.length <= nativeCharsMax;
  if (isShort) charge?.(text.length);
  const find = createTextFinder(needle, isShort ? undefined : charge);
  let count = 0;
  for (let at = find(text, 0); at !== -1; at = find(text, at + needle.length)) count += 1;
  return count;
}

/** `String#split`, in time that is linear in the two lengths for every input. */
export function splitText(text: string, separator: string, charge?: ChargeChars): string[] {
  if (separator.length <= nativeCharsMax) {
    charge?.(text.length);
    return text.split(separator);
  }
  const find = createTextFinder(separator, charge);
  const parts: string[] = [];
  let from = 0;
  for (let at = find(text, 0); at !== -1; at = find(text, from)) {
    parts.push(text.slice(from, at));
    from = at + separator.length;
  }
  parts.push(text.slice(from));
  return parts;
}

/**
 * `String#replaceAll` of a text, in time that is linear in the lengths for every input. `$` has no
 * meaning in the replacement.
 */
export function replaceText(
  text: string,
  needle: string,
  replacement: string,
  charge?: ChargeChars,
): string {
  if (needle.length <= nativeCharsMax) {
    charge?.(text.length);
    return text.replaceAll(needle, () => replacement);
  }
  return splitText(text, needle, charge).join(replacement);
}

/**
 * Prepares the search of one text in others. What it returns finds the first place from an index
 * on, or -1. Searching one text again and again is linear as long as each search starts behind the
 * match of the one before.
 */
export function createTextFinder(
  needle: string,
  charge?: ChargeChars,
): (text: string, from?: number) => number {
  if (needle.length <= nativeCharsMax) {
    return (text, from = 0) => {
      const at = text.indexOf(needle, from);
      charge?.(Math.max((at === -1 ? text.length : at + needle.length) - from, 0));
      return at;
    };
  }
  let halves: Halves | null = null;
  return (text, from = 0) => {
    if (text.length - from < needle.length) return -1;
    halves ??= halve(needle, charge);
    return findTwoWay(text, halves, from, charge);
  };
}

/** A needle that is divided at a place which makes the search linear. */
type Halves = {
  needle: string;
  /** Where its second half starts. */
  middle: number;
  /** The start of the second half, which the engine can find. */
  mark: string;
  /** How far a search goes on where only the second half matches. */
  shift: number;
};

/**
 * Divides a needle for the two-way search (Crochemore and Perrin, 1991), which needs no memory that
 * grows with the needle.
 */
function halve(needle: string, charge?: ChargeChars): Halves {
  // The two searches below read at most three characters for each one of the needle.
  charge?.(needle.length * 3);
  const up = findLastSuffix(needle, 1);
  const down = findLastSuffix(needle, -1);
  const { start: middle, period } = up.start > down.start ? up : down;
  const isPeriodic = needle.startsWith(needle.slice(0, middle), period);
  const shift = isPeriodic ? period : Math.max(middle, needle.length - middle) + 1;
  const mark = needle.slice(middle, middle + nativeCharsMax);
  return { needle, middle, mark, shift };
}

/** The suffix that is the last one in the order of characters, or in the reverse order, and its period. */
function findLastSuffix(needle: string, order: 1 | -1): { start: number; period: number } {
  let start = 0;
  let other = 1;
  let same = 0;
  let period = 1;
  while (other + same < needle.length) {
    const difference = needle.charCodeAt(other + same) - needle.charCodeAt(start + same);
    if (difference === 0) {
      same += 1;
      if (same === period) {
        other += period;
        same = 0;
      }
    } else if (difference * order < 0) {
      other += same + 1;
      same = 0;
      period = other - start;
    } else {
      start = other;
      other += 1;
      same = 0;
      period = 1;
    }
  }
  return { start, period };
}

/**
 * Compares the second half first. The two-way search remembers what matched before; this one finds
 * only the first match, so it reads each character of the text at most three times without that.
 */
function findTwoWay(
  text: string,
  { needle, middle, mark, shift }: Halves,
  from: number,
  charge?: ChargeChars,
): number {
  const { length } = needle;
  const last = text.length - length;
  let steps = 0;
  let at = from;
  while (at <= last) {
    const marked = text.indexOf(mark, at + middle);
    const next = marked === -1 ? last + 1 : Math.min(marked - middle, last + 1);
    steps += next - at + mark.length;
    at = next;
    if (at > last) break;
    let index = middle + mark.length;
    while (index < length && needle.charCodeAt(index) === text.charCodeAt(at + index)) index += 1;
    steps += index - middle - mark.length + 1;
    if (index < length) {
      at += index - middle + 1;
      continue;
    }
    index = middle - 1;
    while (index >= 0 && needle.charCodeAt(index) === text.charCodeAt(at + index)) index -= 1;
    steps += middle - index;
    if (index < 0) break;
    at += shift;
  }
  charge?.(steps);
  return at <= last ? at : -1;
}
