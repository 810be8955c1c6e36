import type { JsonSchema } from "@hub/connector";

/** The part of a schema that a reference inside it names, such as `#/$defs/user`. Undefined if it has none. */
export function resolveReference(root: JsonSchema, reference: string): unknown {
  let part: unknown = root;
  for (const name of reference.split("/").slice(1)) {
    const key = decodePointer(name);
    const isOwn = typeof part === "object" && part !== null && Object.hasOwn(part, key);
    // Safe: an object or an array has this member.
    part = isOwn ? (part as Record<string, unknown>)[key] : undefined;
  }
  return part;
}

function decodePointer(name: string): string {
  try {
    return decodeURIComponent(name).replaceAll("~1", "/").replaceAll("~0", "~");
  } catch {
    return name;
  }
}
