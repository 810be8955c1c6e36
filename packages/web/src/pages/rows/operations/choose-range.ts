type Line = { key: string; isOpen: boolean };

/** Chooses a line, or takes it back. With `from`, all lines up to it become as the line becomes. */
export function chooseRange(
  lines: readonly Line[],
  chosen: ReadonlySet<string>,
  { from, to }: { from: number | null; to: number },
): ReadonlySet<string> {
  const line = lines[to];
  if (line === undefined) return chosen;
  const isChosen = !chosen.has(line.key);
  const start = from === null ? to : Math.min(from, to);
  const next = new Set(chosen);
  for (const { key, isOpen } of lines.slice(start, Math.max(from ?? to, to) + 1)) {
    if (!isOpen) continue;
    if (isChosen) next.add(key);
    else next.delete(key);
  }
  return next;
}
