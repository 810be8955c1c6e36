import type { Direction } from "../../graph/walk-graph.ts";

const plain = {
  n: "add",
  d: "switchOff",
  c: "comment",
  delete: "remove",
  backspace: "remove",
  enter: "open",
  escape: "leave",
  "?": "help",
} as const;
const withControl = {
  z: "undo",
  y: "redo",
  a: "all",
  c: "copy",
  x: "cut",
  v: "paste",
  d: "duplicate",
  s: "save",
} as const;
const arrows: Readonly<Record<string, Direction>> = {
  ArrowLeft: "left",
  ArrowRight: "right",
  ArrowUp: "up",
  ArrowDown: "down",
};
const steps: Readonly<Record<Direction, readonly [number, number]>> = {
  left: [-20, 0],
  right: [20, 0],
  up: [0, -20],
  down: [0, 20],
};

type Named = (typeof plain)[keyof typeof plain] | (typeof withControl)[keyof typeof withControl];
export type Shortcut =
  | { kind: "walk"; to: Direction }
  | { kind: "move"; by: readonly [number, number] }
  | { kind: Named };

type Keys = { key: string; ctrlKey: boolean; metaKey: boolean; shiftKey: boolean; altKey: boolean };

/** What a key means on the graph. Null if it means nothing there. */
export function readShortcut({ key, ctrlKey, metaKey, shiftKey, altKey }: Keys): Shortcut | null {
  if (altKey) return null;
  const hasControl = ctrlKey || metaKey;
  const arrow = arrows[key];
  if (arrow !== undefined && !hasControl) {
    return shiftKey ? { kind: "move", by: steps[arrow] } : { kind: "walk", to: arrow };
  }
  const name = key.toLowerCase();
  if (hasControl && shiftKey) return name === "z" ? { kind: "redo" } : null;
  const names: Readonly<Record<string, Named>> = hasControl ? withControl : plain;
  // The question mark needs Shift on most keyboards.
  const isPlain = !shiftKey || name === "?";
  const kind = isPlain && Object.hasOwn(names, name) ? names[name] : undefined;
  return kind === undefined ? null : { kind };
}
