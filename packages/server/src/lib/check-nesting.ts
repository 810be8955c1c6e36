import { findJsonExcess } from "./scan-json.ts";

/**
 * Whether JSON text nests no deeper than `depthMax`. It reads the text, not the value: whatever
 * walks a value later (revivers, checks, masks) recurses, and a stranger must not choose how deep.
 */
export function isNestedWithin(text: string, depthMax: number): boolean {
  return findJsonExcess(text, { depthMax, valuesMax: Number.POSITIVE_INFINITY }) !== "depth";
}
