import { toDurationText } from "@hub/connector";

const clockOffsetMsMax = 2_000;

/** Null for a clock that agrees with the database's. */
export function describeOffset(clockOffsetMs: number): string | null {
  if (Math.abs(clockOffsetMs) <= clockOffsetMsMax) return null;
  return `${toDurationText(Math.abs(clockOffsetMs))} ${clockOffsetMs > 0 ? "behind" : "ahead of"} the database's`;
}
