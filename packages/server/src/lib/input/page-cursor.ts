/**
 * A position in a sorted list as opaque text: the sort key and id of the last item that was read.
 */
export type Cursor = { key: string | number; id: string };

export function toCursorText({ key, id }: Cursor): string {
  return Buffer.from(JSON.stringify([key, id])).toString("base64url");
}

/** Null for text that no page of a list gave out. */
export function parseCursor(text: string, keyType: "string" | "number"): Cursor | null {
  try {
    const parsed: unknown = JSON.parse(Buffer.from(text, "base64url").toString());
    if (!Array.isArray(parsed) || parsed.length !== 2) return null;
    const [key, id]: unknown[] = parsed;
    const isKey = keyType === "string" ? typeof key === "string" : Number.isSafeInteger(key);
    if (!isKey || typeof id !== "string") return null;
    return { key: key as Cursor["key"], id };
  } catch {
    return null;
  }
}
