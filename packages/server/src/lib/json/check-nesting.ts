import { findJsonExcess } from "./scan-json.ts";

/** Deeper than messages need, and safe for recursive functions. */
export const nestingMax = 64;
/** More values than messages need; bounds the cost of functions that visit every value. */
export const valuesMax = 50_000;

/** Why a message is too expensive to parse; null if it is not. Takes one pass. */
export function findMessageExcess(text: string): "depth" | "values" | null {
  return findJsonExcess(text, { depthMax: nestingMax, valuesMax });
}

/**
 * Whether JSON text is nested at most `depthMax` levels deep. It reads the text before parsing, because
 * functions on the value (revivers, checks, masks) are recursive.
 */
export function isNestedWithin(text: string, depthMax: number): boolean {
  return findJsonExcess(text, { depthMax, valuesMax: Number.POSITIVE_INFINITY }) !== "depth";
}
