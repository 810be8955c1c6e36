import type { JsonSchema } from "@hub/connector";

/** Names of longer references are not looked for: each has a part of the schema around the next one. */
const namesMax = 256;
/** Of a reference, for one step. */
const charsOfStep = 100;

/**
 * The part of a schema that a reference inside it names, such as `#/$defs/user`. Undefined if it has none. `spend` gets
 * the steps that the reference costs.
 */
export function resolveReference(
  root: JsonSchema,
  reference: string,
  spend: (steps: number) => void = () => {},
): unknown {
  spend(Math.floor(reference.length / charsOfStep));
  const names = reference.split("/", namesMax + 2).slice(1);
  if (names.length > namesMax) return undefined;
  spend(names.length);
  let part: unknown = root;
  for (const name of names) {
    if (part === undefined) return undefined;
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
