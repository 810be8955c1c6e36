import type { ValueRow } from "./value-rows.ts";

type Keys = { key: string; ctrlKey: boolean; metaKey: boolean; altKey: boolean };

/** What a key does in the tree. */
export type KeyStep = { kind: "choose" } | { kind: "toggle" } | { kind: "move"; to: number };

/** What a key means on the active line. Null if it means nothing there. */
export function findKeyStep(
  { key, ctrlKey, metaKey, altKey }: Keys,
  rows: readonly ValueRow[],
  active: number,
): KeyStep | null {
  const row = rows[active];
  if (row === undefined || ctrlKey || metaKey || altKey) return null;
  const move = (to: number): KeyStep => ({
    kind: "move",
    to: Math.max(0, Math.min(rows.length - 1, to)),
  });
  switch (key) {
    case "Enter":
    case " ":
      return { kind: "choose" };
    case "ArrowDown":
      return move(active + 1);
    case "ArrowUp":
      return move(active - 1);
    case "Home":
      return move(0);
    case "End":
      return move(rows.length - 1);
    case "ArrowRight":
      return row.isOpen === false ? { kind: "toggle" } : row.isOpen ? move(active + 1) : null;
    case "ArrowLeft":
      if (row.isOpen === true) return { kind: "toggle" };
      return move(rows.slice(0, active).findLastIndex(({ level }) => level < row.level));
    default:
      return findByLetter(key, rows, active);
  }
}

/** The next line whose name begins with the letter. */
function findByLetter(key: string, rows: readonly ValueRow[], active: number): KeyStep | null {
  if (key.length !== 1) return null;
  const letter = key.toLowerCase();
  const order = [...rows.keys()].map((at) => (active + 1 + at) % rows.length);
  const to = order.find((at) => rows[at]?.name.slice(0, 1).toLowerCase() === letter);
  return to === undefined ? null : { kind: "move", to };
}
