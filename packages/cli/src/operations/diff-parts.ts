export type DiffPart = { kind: "same" | "removed" | "added"; text: string };

/** A larger table would delay the command. Then the whole middle is shown as removed and added. */
const cellsMax = 4_000_000;

/** The difference of two lists of words or lines, with as many equal ones as possible. */
export function diffParts(before: readonly string[], after: readonly string[]): DiffPart[] {
  const start = countSame(before, after, (list, at) => list[at]);
  const rest = [before.slice(start), after.slice(start)] as const;
  const end = countSame(...rest, (list, at) => list.at(-1 - at));
  const old = rest[0].slice(0, rest[0].length - end);
  const now = rest[1].slice(0, rest[1].length - end);
  const toSame = (text: string): DiffPart => ({ kind: "same", text });
  return [
    ...before.slice(0, start).map(toSame),
    ...diffMiddle(old, now),
    ...rest[0].slice(old.length).map(toSame),
  ];
}

function countSame(
  a: readonly string[],
  b: readonly string[],
  read: (list: readonly string[], at: number) => string | undefined,
): number {
  const length = Math.min(a.length, b.length);
  for (let at = 0; at < length; at++) if (read(a, at) !== read(b, at)) return at;
  return length;
}

/** By the longest common subsequence. */
function diffMiddle(old: readonly string[], now: readonly string[]): DiffPart[] {
  const width = now.length + 1;
  const removed = old.map((text): DiffPart => ({ kind: "removed", text }));
  const added = now.map((text): DiffPart => ({ kind: "added", text }));
  if ((old.length + 1) * width > cellsMax) return [...removed, ...added];
  const lengths = new Uint32Array((old.length + 1) * width);
  const read = (i: number, j: number) => lengths[i * width + j] ?? 0;
  for (let i = old.length - 1; i >= 0; i--) {
    for (let j = now.length - 1; j >= 0; j--) {
      lengths[i * width + j] =
        old[i] === now[j] ? read(i + 1, j + 1) + 1 : Math.max(read(i + 1, j), read(i, j + 1));
    }
  }
  const parts: DiffPart[] = [];
  let [i, j] = [0, 0];
  while (i < old.length || j < now.length) {
    const [before, after] = [old[i], now[j]];
    if (before !== undefined && before === after) {
      parts.push({ kind: "same", text: before });
      i++;
      j++;
    } else if (before !== undefined && (after === undefined || read(i + 1, j) >= read(i, j + 1))) {
      parts.push({ kind: "removed", text: before });
      i++;
    } else if (after !== undefined) {
      parts.push({ kind: "added", text: after });
      j++;
    }
  }
  return parts;
}
