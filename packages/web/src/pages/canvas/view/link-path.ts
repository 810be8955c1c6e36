import { getBezierPath, getSmoothStepPath, type Position } from "@xyflow/react";
import { itemGapPx } from "../graph/grid.ts";

export type LinkEnds = {
  sourceX: number;
  sourceY: number;
  targetX: number;
  targetY: number;
  sourcePosition: Position;
  targetPosition: Position;
};

const turnPx = itemGapPx * 0.3;

/**
 * The path of a connection with the place of its label. One that goes back, as to the start of the next row, turns
 * in the gap beside the node where it ends, so that it crosses no node of either row.
 */
export function toLinkPath(
  ends: LinkEnds,
  targetHalfPx: number,
): readonly [path: string, x: number, y: number] {
  const { sourceX, sourceY, targetX, targetY } = ends;
  const isBack = targetX - sourceX < 2 * turnPx;
  const turnY = targetHalfPx + itemGapPx / 2;
  if (!isBack || Math.abs(targetY - sourceY) < turnY) {
    const [path, x, y] = getBezierPath(ends);
    return [path, x, y];
  }
  const centerY = targetY > sourceY ? targetY - turnY : targetY + turnY;
  const [path, x, y] = getSmoothStepPath({ ...ends, borderRadius: 8, offset: turnPx, centerY });
  return [path, x, y];
}
