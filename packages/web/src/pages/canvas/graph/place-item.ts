import { type Body, findItem, type Position } from "./body.ts";
import type { InsertPoint } from "./commands.ts";
import { newCommentSize } from "./comments.ts";
import { itemWidthPx, toItemSize } from "./flow.ts";

const gapXPx = 96;
const gapYPx = 32;

type Positions = Readonly<Record<string, Position>>;

/** A free position for a new item: beside the item that it follows, or around a point. */
export function findFreePosition(
  body: Body,
  positions: Positions,
  at: InsertPoint | null,
  around: Position,
): Position {
  const from = at === null ? undefined : positions[at.from];
  const start: Position = from === undefined ? around : [from[0] + itemWidthPx + gapXPx, from[1]];
  return moveBelow(start, { width: itemWidthPx, height: 64 }, listBoxes(body, positions));
}

/** A position for a new comment, around a point, that covers no item and no other comment. */
export function findCommentPosition(body: Body, positions: Positions, around: Position): Position {
  const [width, height] = newCommentSize;
  const comments = (body.comments ?? []).map(({ position: [x, y], size }) => {
    return { x, y, width: size[0], height: size[1] };
  });
  return moveBelow(around, { width, height }, [...listBoxes(body, positions), ...comments]);
}

type Size = { width: number; height: number };
type Box = Size & { x: number; y: number };

function listBoxes(body: Body, positions: Positions): Box[] {
  return [...body.triggers, ...body.nodes].flatMap((item) => {
    const position = positions[item.id];
    if (position === undefined) return [];
    const [x, y] = position;
    return [{ x, y, ...toItemSize(item) }];
  });
}

/** The first position on the grid, at the start or below it, that keeps a gap to all boxes. */
function moveBelow(start: Position, { width, height }: Size, boxes: readonly Box[]): Position {
  const [x, top] = start.map((value) => Math.round(value / 16) * 16) as [number, number];
  let y = top;
  const findBlocker = () =>
    boxes.find(
      (box) =>
        x < box.x + box.width + gapYPx &&
        box.x < x + width + gapYPx &&
        y < box.y + box.height + gapYPx &&
        box.y < y + height + gapYPx,
    );
  // Each round passes at least one box.
  for (let box = findBlocker(); box !== undefined; box = findBlocker()) {
    y = Math.ceil((box.y + box.height + gapYPx) / 16) * 16;
  }
  return [x, y];
}

/** Moves a node, and all that follows, to the right, so that a new one fits before it. */
export function shiftItems(body: Body, positions: Positions, point: InsertPoint): Positions {
  const { from, to } = point;
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
