import { type Body, isTrigger, type Position } from "./body.ts";
import type { InsertPoint } from "./commands.ts";
import { newCommentSize } from "./comments.ts";
import { itemGapPx, rowWidthPx, toGrid } from "./grid.ts";
import { itemHeightPx, itemWidthPx, toItemSize } from "./item-size.ts";

type Positions = Readonly<Record<string, Position>>;
const newItemSize = { width: itemWidthPx, height: itemHeightPx };

/**
 * A free position for a new item: beside the item that it follows, between two items if there is space, or else below
 * them, or around a point. Nothing else is moved.
 */
export function findFreePosition(
  body: Body,
  positions: Positions,
  at: InsertPoint | null,
  around: Position,
): Position {
  const boxes = listBoxes(body, positions);
  const from = at === null ? undefined : positions[at.from];
  if (at === null || from === undefined) return moveBelow(around, newItemSize, boxes);
  const to = at.to === undefined ? undefined : positions[at.to];
  if (to !== undefined) return moveBelow(findBetween(from, to), newItemSize, boxes);
  const beside: Position = [from[0] + itemWidthPx + itemGapPx, from[1]];
  return moveBelow(wrap(beside, boxes) ?? alignWithEnd(body, at, beside), newItemSize, boxes);
}

/** The middle between two items. */
function findBetween([fromX, fromY]: Position, [toX, toY]: Position): Position {
  return [(fromX + toX) / 2, (fromY + toY) / 2];
}

/** The start of a row below everything, if the graph would become wider than a row. Null in a graph that is wider anyway. */
function wrap([x]: Position, boxes: readonly Box[]): Position | null {
  const left = Math.min(...boxes.map((box) => box.x));
  const right = Math.max(...boxes.map((box) => box.x + box.width));
  const isLong = x + itemWidthPx - left > rowWidthPx;
  if (!isLong || right - left > rowWidthPx) return null;
  return [left, Math.max(...boxes.map((box) => box.y + box.height)) + itemGapPx];
}

/** In line with the item that it follows, of which some are higher. */
function alignWithEnd(body: Body, { from }: InsertPoint, [x, y]: Position): Position {
  const item = body.nodes.find(({ id }) => id === from);
  if (item === undefined || isTrigger(body, from)) return [x, y];
  return [x, y + (toItemSize(item).height - itemHeightPx) / 2];
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
  const [x, top] = toGrid(start);
  let y = top;
  const findBlocker = () =>
    boxes.find(
      (box) =>
        x < box.x + box.width + itemGapPx &&
        box.x < x + width + itemGapPx &&
        y < box.y + box.height + itemGapPx &&
        box.y < y + height + itemGapPx,
    );
  // Each round passes at least one box.
  for (let box = findBlocker(); box !== undefined; box = findBlocker()) {
    [, y] = toGrid([x, Math.ceil((box.y + box.height + itemGapPx) / 4) * 4]);
  }
  return [x, y];
}
