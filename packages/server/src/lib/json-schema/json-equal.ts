import { isJsonObject } from "@hub/connector";

/** A text that is equal for equal JSON values: members in order, numbers by value. */
export function toComparable(value: unknown): string {
  return JSON.stringify(value, (_key, member: unknown) => {
    if (typeof member === "bigint" || JSON.isRawJSON(member))
      return Number(String(toDigits(member)));
    if (!isJsonObject(member)) return member;
    return Object.fromEntries(
      Object.entries(member).sort(([a], [b]) => (a === b ? 0 : a < b ? -1 : 1)),
    );
  });
}

function toDigits(value: unknown): unknown {
  return JSON.isRawJSON(value) ? value.rawJSON : value;
}
