/** The place of a node: its top left corner and its size. */
export type Box = { id: string; x: number; y: number; width: number; height: number };
type Link = { from: string; to: string };
type Limits = { widthPx: number; gapPx: number };

/**
 * Breaks a graph that is wider than a row into rows, one below the other. It breaks only between columns that a
 * single node leads across, or whose connections all lead to a single node, so that one line joins the rows. A part
 * without such a place stays in one row.
 */
export function wrapRows(boxes: readonly Box[], links: readonly Link[], limits: Limits): Box[] {
  const columns = toColumns(boxes);
  const edges = columns.map((column) => ({
    left: Math.min(...column.map(({ x }) => x)),
    right: Math.max(...column.map(({ x, width }) => x + width)),
  }));
  const measure = (from: number, to: number) =>
    (edges[to - 1]?.right ?? 0) - (edges[from]?.left ?? 0);
  const rows: Box[][] = [];
  let [start, fit] = [0, 0];
  for (const next of [...findBreaks(columns, links), columns.length]) {
    if (measure(start, next) > limits.widthPx && fit > start) {
      rows.push(columns.slice(start, fit).flat());
      start = fit;
    }
    fit = next;
  }
  rows.push(columns.slice(start).flat());
  let top = 0;
  return rows.flatMap((row) => {
    const left = Math.min(...row.map(({ x }) => x));
    const upper = Math.min(...row.map(({ y }) => y));
    const placed = row.map((box) => ({ ...box, x: box.x - left, y: box.y - upper + top }));
    top = Math.max(...placed.map(({ y, height }) => y + height)) + limits.gapPx;
    return placed;
  });
}

/** Nodes that are above each other, from left to right. */
function toColumns(boxes: readonly Box[]): Box[][] {
  const columns = new Map<number, Box[]>();
  for (const box of boxes) {
    const middle = Math.round(box.x + box.width / 2);
    const column = columns.get(middle);
    if (column === undefined) columns.set(middle, [box]);
    else column.push(box);
  }
  return [...columns].sort(([one], [other]) => one - other).map(([, column]) => column);
}

/** A graph whose connections are longer than this together is not broken. */
const stepsMax = 200_000;

/** The columns before which a row may end, in their order. */
function findBreaks(columns: ReadonlyArray<readonly Box[]>, links: readonly Link[]): number[] {
  const rank = new Map(columns.flatMap((column, at) => column.map(({ id }) => [id, at] as const)));
  const across = columns.map(() => ({ from: new Set<string>(), to: new Set<string>() }));
  let steps = 0;
  for (const { from, to } of links) {
    const ends = [rank.get(from) ?? 0, rank.get(to) ?? 0];
    const last = Math.max(...ends);
    steps += Math.abs((ends[0] ?? 0) - (ends[1] ?? 0));
    if (steps > stepsMax) return [];
    for (let at = Math.min(...ends) + 1; at <= last; at += 1) {
      across[at]?.from.add(from);
      across[at]?.to.add(to);
    }
  }
  return [...across.entries()]
    .filter(([at, { from, to }]) => at > 0 && (from.size <= 1 || to.size <= 1))
    .map(([at]) => at);
}
