type Box = { left: number; top: number; right: number; bottom: number };
type Size = { width: number; height: number };

const gapPx = 12;
const edgePx = 8;
const phonePx = 640;
/** How far it begins above what it adds to. */
const abovePx = 96;

/**
 * Where the palette lies over an area, in pixels from its top left corner: beside what it adds to, at the right or
 * else at the left, and always whole. Without an anchor it is at the top left; on a phone at the bottom.
 */
export function placePalette(
  area: Box,
  size: Size,
  anchor: Box | null,
): { left: number; top: number } {
  const width = area.right - area.left;
  const height = area.bottom - area.top;
  const leftMax = Math.max(edgePx, width - size.width - edgePx);
  const topMax = Math.max(edgePx, height - size.height - edgePx);
  if (width < phonePx) return { left: Math.max(0, (width - size.width) / 2), top: topMax };
  if (anchor === null) return { left: edgePx, top: edgePx };
  const right = anchor.right - area.left + gapPx;
  const left = right <= leftMax ? right : anchor.left - area.left - gapPx - size.width;
  const top = anchor.top - area.top - abovePx;
  return { left: clamp(left, leftMax), top: clamp(top, topMax) };
}

const clamp = (value: number, max: number) => Math.round(Math.min(max, Math.max(edgePx, value)));
