import type { Json } from "@hub/connector";

/** Whether a string or a key in a value, at any depth, is one that `isMeant`. */
export function hasText(value: Json, isMeant: (text: string) => boolean): boolean {
  if (typeof value === "string") return isMeant(value);
  if (Array.isArray(value)) return value.some((item) => hasText(item, isMeant));
  if (typeof value !== "object" || value === null) return false;
  return Object.entries(value).some(([key, one]) => isMeant(key) || hasText(one, isMeant));
}
