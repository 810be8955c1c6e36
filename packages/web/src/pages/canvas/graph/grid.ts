/** Between neighbours, in both directions. */
export const itemGapPx = 40;
/** A row of the layout is at most this wide, so that it is readable without zooming out. */
export const rowWidthPx = 1000;
/** Items are placed on this grid. */
export const gridPx = [20, 4] as const;

/** The nearest point of the grid. */
export function toGrid([x, y]: readonly [x: number, y: number]): [x: number, y: number] {
  const [byX, byY] = gridPx;
  // Not -0, which JSON cannot hold.
  return [Math.round(x / byX) * byX + 0, Math.round(y / byY) * byY + 0];
}
