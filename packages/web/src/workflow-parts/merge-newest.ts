/** A part of a list, newest first. */
export type NewestFirst<Item> = {
  items: readonly Item[];
  /** False while older ones are not loaded. */
  isWhole: boolean;
};

type Dated = { created_at: string; id: string };

/**
 * Two lists in one order, newest first. What is older than the end of a list that is not whole is left out: something that
 * is not loaded yet may stand before it.
 */
export function mergeNewest<One extends Dated, Other extends Dated>(
  one: NewestFirst<One>,
  other: NewestFirst<Other>,
): Array<One | Other> {
  const bounds = [findEnd(one), findEnd(other)].flatMap((end) => (end === null ? [] : [end]));
  const all: Array<One | Other> = [...one.items, ...other.items];
  return all
    .filter((item) => bounds.every((end) => compareNewest(item, end) <= 0))
    .sort(compareNewest);
}

/** Of these two lists, which one must be read on so that more can be shown. Null if both are whole. */
export function findShorter(
  one: NewestFirst<Dated>,
  other: NewestFirst<Dated>,
): "one" | "other" | null {
  if (one.isWhole || other.isWhole) return one.isWhole ? (other.isWhole ? null : "other") : "one";
  const [endOfOne, endOfOther] = [one.items.at(-1), other.items.at(-1)];
  if (endOfOne === undefined || endOfOther === undefined) {
    return endOfOne === undefined ? "one" : "other";
  }
  return compareNewest(endOfOne, endOfOther) < 0 ? "one" : "other";
}

function findEnd<Item extends Dated>({ items, isWhole }: NewestFirst<Item>): Item | null {
  return isWhole ? null : (items.at(-1) ?? null);
}

/** Negative if the first one is newer. The times are texts of one length. */
function compareNewest(one: Dated, other: Dated): number {
  if (one.created_at !== other.created_at) return one.created_at > other.created_at ? -1 : 1;
  if (one.id === other.id) return 0;
  return one.id > other.id ? -1 : 1;
}
