import { type Item, listOutputs } from "./body.ts";

export const itemWidthPx = 180;
export const itemHeightPx = 64;
const outputHeightPx = 20;

export function toItemSize(item: Item): { width: number; height: number } {
  const outputs = listOutputs(item).length;
  return { width: itemWidthPx, height: Math.max(itemHeightPx, outputs * outputHeightPx + 4) };
}
