/**
 * The selection after the check box at `to` was changed, with all between it and `from`: they become what the
 * changed one becomes.
 */
export function selectRange(
  selected: ReadonlySet<string>,
  keys: readonly string[],
  { from, to }: { from: number; to: number },
): ReadonlySet<string> {
  const changed = new Set(keys.slice(Math.min(from, to), Math.max(from, to) + 1));
  return selected.has(keys[to] ?? "") ? selected.difference(changed) : selected.union(changed);
}
