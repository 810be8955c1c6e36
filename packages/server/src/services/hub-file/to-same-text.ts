import { toJsonText } from "@hub/connector";

/** Members in any order are the same body. */
export function toSameText(body: unknown): string {
  return toJsonText(sortMembers(body));
}

function sortMembers(value: unknown): unknown {
  if (typeof value !== "object" || value === null || JSON.isRawJSON(value)) return value;
  if (Array.isArray(value)) return value.map(sortMembers);
  return Object.fromEntries(
    Object.entries(value)
      .sort(([one], [other]) => (one < other ? -1 : 1))
      .map(([key, one]) => [key, sortMembers(one)]),
  );
}
