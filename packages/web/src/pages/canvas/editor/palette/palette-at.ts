import type { InsertPoint } from "../../graph/commands.ts";
import type { Spot } from "../../view/canvas-props.ts";

/** What the open palette adds to, and beside what it lies. */
export type PaletteAt = { at: InsertPoint | null; spot: Spot | null };

/** Beside the item after which something is added. */
export function findSpot(page: HTMLElement | null, at: InsertPoint | null): Spot | null {
  if (at === null) return null;
  const item = page?.querySelector(`[data-item="${CSS.escape(at.from)}"]`);
  return item == null ? null : { anchor: item.getBoundingClientRect() };
}
