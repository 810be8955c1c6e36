/** A piece of text that both versions have, or only one of them. */
export type DiffPart = { kind: "same" | "removed" | "added"; text: string };

const tokensMax = 60_000;
/** The steps of the search grow with its square. */
const editsMax = 500;

/**
 * The difference of two texts, word by word. Null if they are too long or differ too much: show both
 * whole then. Takes about ten milliseconds at most.
 */
export function diffWords(before: string, after: string): DiffPart[] | null {
  const old = toTokens(before);
  const now = toTokens(after);
  if (old.length + now.length > tokensMax) return null;
  const endMax = Math.min(old.length, now.length);
  let start = 0;
  while (start < endMax && old[start] === now[start]) start += 1;
  let tail = 0;
  while (tail < endMax - start && old.at(-1 - tail) === now.at(-1 - tail)) tail += 1;
  const middle = findEdits(
    old.slice(start, old.length - tail),
    now.slice(start, now.length - tail),
  );
  if (middle === null) return null;
  return joinParts([
    ...now.slice(0, start).map((text) => ({ kind: "same" as const, text })),
    ...middle,
    ...now.slice(now.length - tail).map((text) => ({ kind: "same" as const, text })),
  ]);
}

/** Words, spaces, and each other character alone. */
function toTokens(text: string): string[] {
  return text.match(/[\p{L}\p{N}_]+|\s+|[^\p{L}\p{N}_\s]/gu) ?? [];
}

/** The shortest list of edits: Myers, "An O(ND) Difference Algorithm". Null if there are too many. */
function findEdits(old: readonly string[], now: readonly string[]): DiffPart[] | null {
  const max = Math.min(old.length + now.length, editsMax);
  // The furthest place in `old` on each diagonal, shifted by `max + 1`.
  const furthest = new Int32Array(2 * max + 3);
  const trace: Int32Array[] = [];
  for (let edits = 0; edits <= max; edits += 1) {
    trace.push(furthest.slice(max + 1 - edits - 1, max + 1 + edits + 2));
    for (let diagonal = -edits; diagonal <= edits; diagonal += 2) {
      const at = max + 1 + diagonal;
      const left = furthest[at - 1] ?? 0;
      const right = furthest[at + 1] ?? 0;
      const isAdded = diagonal === -edits || (diagonal !== edits && left < right);
      let x = isAdded ? right : left + 1;
      while (x < old.length && x - diagonal < now.length && old[x] === now[x - diagonal]) x += 1;
      furthest[at] = x;
      if (x >= old.length && x - diagonal >= now.length) return walkBack(trace, old, now);
    }
  }
  return null;
}

function walkBack(
  trace: readonly Int32Array[],
  old: readonly string[],
  now: readonly string[],
): DiffPart[] {
  const parts: DiffPart[] = [];
  let x = old.length;
  let y = now.length;
  const keepUntil = (start: number) => {
    for (; x > start; x -= 1, y -= 1) parts.push({ kind: "same", text: old[x - 1] ?? "" });
  };
  for (let edits = trace.length - 1; edits > 0; edits -= 1) {
    const furthest = trace[edits];
    // The place of diagonal 0 in this copy.
    const middle = edits + 1;
    const diagonal = x - y;
    const left = furthest?.[middle + diagonal - 1] ?? 0;
    const right = furthest?.[middle + diagonal + 1] ?? 0;
    const isAdded = diagonal === -edits || (diagonal !== edits && left < right);
    keepUntil(isAdded ? right : left + 1);
    if (isAdded) {
      y -= 1;
      parts.push({ kind: "added", text: now[y] ?? "" });
    } else {
      x -= 1;
      parts.push({ kind: "removed", text: old[x] ?? "" });
    }
  }
  keepUntil(0);
  return parts.reverse();
}

/** Joins neighbours. Between two unchanged parts, what was removed comes before what was added. */
function joinParts(parts: readonly DiffPart[]): DiffPart[] {
  const joined: DiffPart[] = [];
  let removed = "";
  let added = "";
  let same = "";
  const endChange = () => {
    if (removed !== "") joined.push({ kind: "removed", text: removed });
    if (added !== "") joined.push({ kind: "added", text: added });
    removed = "";
    added = "";
  };
  const endSame = () => {
    if (same !== "") joined.push({ kind: "same", text: same });
    same = "";
  };
  for (const { kind, text } of parts) {
    if (kind === "same") {
      endChange();
      same += text;
    } else {
      endSame();
      if (kind === "removed") removed += text;
      else added += text;
    }
  }
  endChange();
  endSame();
  return joined;
}
