/** Lines that are open before the user opens more. */
const linesMax = 300;
const levelsMax = 12;
/** A longer list stays closed, unless it is the value itself. */
const itemsMax = 20;

/**
 * The lists and objects of a JSON value that a tree shows open at first: the upper levels, as far as the
 * lines suffice.
 */
export function chooseOpen(value: unknown): ReadonlySet<object> {
  const open = new Set<object>();
  let level = [value];
  let lines = 0;
  for (let depth = 0; depth < levelsMax && level.length > 0; depth += 1) {
    const next: unknown[] = [];
    for (const one of level) {
      if (typeof one !== "object" || one === null) continue;
      const items = Object.values(one);
      const isRoot = one === value;
      if (!isRoot && (items.length > itemsMax || lines + items.length > linesMax)) continue;
      open.add(one);
      lines += items.length;
      if (items.length <= itemsMax) next.push(...items);
    }
    level = next;
  }
  return open;
}
