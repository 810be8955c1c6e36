/** So many names are shown of a longer list. */
const shownMax = 5;
/** A list that is only a little longer is shown whole. */
const wholeMax = 8;

/** The first names of a long list such as `a, b, c`, and how many are left. Null if it is shown whole. */
export function cutNames(names: readonly string[]): { shown: string; left: number } | null {
  if (names.length <= wholeMax) return null;
  return { shown: names.slice(0, shownMax).join(", "), left: names.length - shownMax };
}
