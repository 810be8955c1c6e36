import { type Body, findItem, type Position } from "./body.ts";
import type { Place } from "./commands.ts";
import { itemWidthPx, toItemSize } from "./flow.ts";

const gapXPx = 96;
const gapYPx = 32;

type Positions = Readonly<Record<string, Position>>;

/** A free position for a new item: beside the item that it follows, or around a point. */
export function findFreePosition(
  body: Body,
  positions: Positions,
  at: Place | null,
  around: Position,
): Position {
  const from = at === null ? undefined : positions[at.from];
  const start: Position = from === undefined ? around : [from[0] + itemWidthPx + gapXPx, from[1]];
  const items = [...body.triggers, ...body.nodes];
  let [x, y] = start.map((value) => Math.round(value / 16) * 16) as [number, number];
  const blocker = () =>
    items.find((item) => {
      const other = positions[item.id];
      if (other === undefined) return false;
      const { height } = toItemSize(item);
      return (
        Math.abs(other[0] - x) < itemWidthPx + gapYPx &&
        y < other[1] + height + gapYPx &&
        other[1] < y + 64 + gapYPx
      );
    });
  // Each round passes at least one item.
  for (let found = blocker(); found !== undefined; found = blocker()) {
    const other = positions[found.id] ?? [x, y];
    y = Math.ceil((other[1] + toItemSize(found).height + gapYPx) / 16) * 16;
  }
  return [x, y];
}

/** Moves a node, and all that follows, to the right, so that a new one fits before it. */
export function makeRoom(body: Body, positions: Positions, place: Place): Positions {
  const { from, to } = place;
  const start = positions[from];
  const end = to === undefined ? undefined : positions[to];
  if (to === undefined || start === undefined || end === undefined) return positions;
  const step = itemWidthPx + gapXPx;
  const missing = start[0] + 2 * step - end[0];
  if (missing <= 0) return positions;
  const moved = new Set<string>();
  const waiting = [to];
  for (let one = waiting.pop(); one !== undefined; one = waiting.pop()) {
    if (moved.has(one) || findItem(body, one) === null) continue;
    moved.add(one);
    waiting.push(...body.edges.filter((edge) => edge.from === one).map((edge) => edge.to));
  }
  return Object.fromEntries(
    Object.entries(positions).map(([id, [x, y]]) => [id, [moved.has(id) ? x + missing : x, y]]),
  );
}
