import { createContext } from "react";
import { type LinkEnds, toLinkPath } from "./link-path.ts";

type Drawn = {
  ends: LinkEnds;
  targetHalfPx: number;
  group: SVGGElement;
  label: HTMLElement | null;
};

/** The drawn connections by their ids, so that those of a dragged item follow it without React. */
export type LinkRegistry = Map<string, Drawn>;

export const LinkRegistryContext = createContext<LinkRegistry>(new Map());

/** How far the ends of a connection are from where React has drawn them. */
export type LinkShift = { source: readonly [number, number]; target: readonly [number, number] };

/** Moves the label of a connection whose ends have moved. Returns its path, or null if it is not drawn. */
export function moveLink(
  registry: LinkRegistry,
  id: string,
  { source, target }: LinkShift,
): string | null {
  const drawn = registry.get(id);
  if (drawn === undefined) return null;
  const { ends, label, targetHalfPx } = drawn;
  const moved = {
    ...ends,
    sourceX: ends.sourceX + source[0],
    sourceY: ends.sourceY + source[1],
    targetX: ends.targetX + target[0],
    targetY: ends.targetY + target[1],
  };
  const [path, x, y] = toLinkPath(moved, targetHalfPx);
  if (label !== null) label.style.transform = toLabelTransform(x, y);
  return path;
}

export function toLabelTransform(x: number, y: number): string {
  return `translate(-50%, -50%) translate(${x}px, ${y}px)`;
}
