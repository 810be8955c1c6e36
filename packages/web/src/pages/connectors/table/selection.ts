/** Chosen rows: those of `ids`, or with `isAll` every row that matches the filters, without those of `ids`. */
export type Selection = { isAll: boolean; ids: ReadonlySet<string> };

export const noSelection: Selection = { isAll: false, ids: new Set() };

export function isChosen({ isAll, ids }: Selection, id: string): boolean {
  return isAll !== ids.has(id);
}

/** The number of chosen rows among those that match. */
export function countChosen({ isAll, ids }: Selection, matching: number): number {
  return isAll ? Math.max(0, matching - ids.size) : ids.size;
}

/** Chooses some rows, or takes them out. */
export function choose(
  { isAll, ids }: Selection,
  given: readonly string[],
  isOn: boolean,
): Selection {
  const next = new Set(ids);
  for (const id of given) {
    if (isOn !== isAll) next.add(id);
    else next.delete(id);
  }
  return { isAll, ids: next };
}

/** The ids from one row of the table to another, in their order. */
export function listRange(ids: readonly string[], from: number, to: number): string[] {
  return ids.slice(Math.min(from, to), Math.max(from, to) + 1);
}
