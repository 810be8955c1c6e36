import { findJsonExcess } from "./scan-json.ts";

/** Deeper than anything that people send, and shallow enough for every walk over a value. */
export const nestingMax = 64;
/** More values than a client sends in one message; every walk over a value costs that much. */
export const valuesMax = 50_000;

/** What makes a message too dear to parse and to walk; null when nothing does. One pass. */
export function findMessageExcess(text: string): "depth" | "values" | null {
  return findJsonExcess(text, { depthMax: nestingMax, valuesMax });
}

/**
 * Whether JSON text nests no deeper than `depthMax`. It reads the text, not the value: whatever
 * walks a value later (revivers, checks, masks) recurses, and a stranger must not choose how deep.
 */
export function isNestedWithin(text: string, depthMax: number): boolean {
  return findJsonExcess(text, { depthMax, valuesMax: Number.POSITIVE_INFINITY }) !== "depth";
}
