import type { Json } from "@hub/connector";

/** Whether a string or a key in a value, at any depth, is one that `isMeant`. */
export function hasText(value: Json, isMeant: (text: string) => boolean): boolean {
  if (typeof value === "string") return isMeant(value);
  if (Array.isArray(value)) return value.some((item) => hasText(item, isMeant));
  if (typeof value !== "object" || value === null) return false;
  // Not Object.entries: it would make the body of a webhook, which is made when it is read, before the search.
  const members = value as Record<string, Json>;
  return Object.keys(members).some((key) => isMeant(key) || hasText(members[key], isMeant));
}

/** Whether the strings and keys of a value have more characters than this together. */
export function hasMoreChars(value: Json, charsMax: number): boolean {
  let chars = 0;
  return hasText(value, ({ length }) => {
    chars += length;
    return chars > charsMax;
  });
}
