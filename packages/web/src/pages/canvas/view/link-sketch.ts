import type { Viewport } from "@xyflow/react";
import type { LinkRegistry } from "./link-registry.ts";

/** A line of a connection as it is drawn at rest. */
type Line = { group: SVGGElement; stroke: string; width: number; dashes: number[] };
type Box = { left: number; top: number; right: number; bottom: number };

/** The connections of dragged items while the drag lasts. */
export type LinkSketch = {
  /** Draws the paths by the ids of their connections. */
  draw(paths: ReadonlyMap<string, string>, viewport: Viewport): void;
  /** Shows the connections of React again. */
  close(): void;
};

/** By how much more than is needed the canvas grows, in pixels, so that it seldom does. */
const growPx = 96;

/**
 * Draws the connections of dragged items on a canvas. The browser lays out, compares and paints the whole page again
 * for each change of an SVG path, which takes more than half of a frame. The canvas is as large as the lines need,
 * because all of its pixels are copied in each frame.
 */
export function openSketch(
  canvas: HTMLCanvasElement,
  registry: LinkRegistry,
  ids: readonly string[],
): LinkSketch {
  const lines = new Map<string, Line>();
  for (const id of ids) {
    const group = registry.get(id)?.group;
    const path = group?.firstElementChild;
    if (group === undefined || path == null) continue;
    const { stroke, strokeWidth, strokeDasharray } = getComputedStyle(path);
    const dashes = strokeDasharray.split(",").map(Number.parseFloat).filter(Number.isFinite);
    lines.set(id, { group, stroke, width: Number.parseFloat(strokeWidth), dashes });
  }
  const context = canvas.getContext("2d");
  const ground = canvas.parentElement;
  const { clientWidth = 0, clientHeight = 0 } = ground ?? {};
  const scale = devicePixelRatio;
  let area: Box | null = null;
  for (const { group } of lines.values()) group.style.visibility = "hidden";
  canvas.hidden = false;
  const grow = (box: Box): Box => {
    const left = Math.max(0, Math.floor(Math.min(box.left, area?.left ?? box.left) - growPx));
    const top = Math.max(0, Math.floor(Math.min(box.top, area?.top ?? box.top) - growPx));
    const right = Math.min(clientWidth, Math.max(box.right, area?.right ?? 0) + growPx);
    const bottom = Math.min(clientHeight, Math.max(box.bottom, area?.bottom ?? 0) + growPx);
    const width = Math.max(1, Math.ceil(right - left));
    const height = Math.max(1, Math.ceil(bottom - top));
    canvas.width = Math.round(width * scale);
    canvas.height = Math.round(height * scale);
    Object.assign(canvas.style, {
      left: `${left}px`,
      top: `${top}px`,
      width: `${width}px`,
      height: `${height}px`,
    });
    return { left, top, right: left + width, bottom: top + height };
  };
  return {
    draw(paths, { x, y, zoom }) {
      if (context === null) return;
      const box = findBox(
        paths.values(),
        { x, y, zoom },
        { right: clientWidth, bottom: clientHeight },
      );
      if (area === null || !isWithin(box, area)) area = grow(box);
      context.resetTransform();
      context.clearRect(0, 0, canvas.width, canvas.height);
      context.setTransform(
        scale * zoom,
        0,
        0,
        scale * zoom,
        scale * (x - area.left),
        scale * (y - area.top),
      );
      for (const [id, { stroke, width, dashes }] of lines) {
        context.strokeStyle = stroke;
        context.lineWidth = width;
        context.setLineDash(dashes);
        context.stroke(new Path2D(paths.get(id)));
      }
    },
    close() {
      canvas.hidden = true;
      for (const { group } of lines.values()) group.style.visibility = "";
    },
  };
}

const lineWidthPx = 4;

/** What the paths cover of the ground. All points of a curve are within the box of the numbers of its path. */
function findBox(
  paths: Iterable<string>,
  { x, y, zoom }: Viewport,
  ground: Pick<Box, "right" | "bottom">,
): Box {
  const box = { left: ground.right, top: ground.bottom, right: 0, bottom: 0 };
  for (const path of paths) {
    const numbers = path.match(/-?[\d.]+(e-?\d+)?/g) ?? [];
    for (const [at, text] of numbers.entries()) {
      const value = Number(text) * zoom;
      if (at % 2 === 0) {
        box.left = Math.min(box.left, value + x);
        box.right = Math.max(box.right, value + x);
      } else {
        box.top = Math.min(box.top, value + y);
        box.bottom = Math.max(box.bottom, value + y);
      }
    }
  }
  return {
    left: Math.max(0, box.left - lineWidthPx),
    top: Math.max(0, box.top - lineWidthPx),
    right: Math.min(ground.right, box.right + lineWidthPx),
    bottom: Math.min(ground.bottom, box.bottom + lineWidthPx),
  };
}

function isWithin(box: Box, area: Box): boolean {
  return (
    box.left >= area.left &&
    box.top >= area.top &&
    box.right <= area.right &&
    box.bottom <= area.bottom
  );
}
