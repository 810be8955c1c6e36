/**
 * Takes the first of each list, then the second of each, and so on, each item once, until there
 * are so many.
 */
export function takeRoundRobin<Item extends { row: object; operation: object }>(
  lists: ReadonlyArray<readonly Item[]>,
  countMax: number,
): Item[] {
  const [first = []] = lists;
  if (lists.length <= 1) return [...first];
  const taken: Item[] = [];
  const seen = new Map<object, Set<object>>();
  const isNew = ({ row, operation }: Item): boolean => {
    const ofRow = seen.get(row) ?? new Set();
    seen.set(row, ofRow);
    return !ofRow.has(operation) && ofRow.add(operation) !== null;
  };
  const length = Math.max(...lists.map((list) => list.length));
  for (let round = 0; round < length; round += 1) {
    for (const list of lists) {
      const item = list[round];
      if (item === undefined || !isNew(item)) continue;
      taken.push(item);
      if (taken.length === countMax) return taken;
    }
  }
  return taken;
}
