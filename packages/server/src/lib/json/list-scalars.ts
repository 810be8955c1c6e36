import type { Json } from "@hub/connector";

/** A value with its path, such as `customer.name`. */
export type NamedScalar = { label: string; value: Json };

/** Parts of the value that are looked at. */
const partsMax = 1_000;
const depthMax = 32;

/** The texts, numbers and booleans of a value in its order, with their paths. */
export function* listScalars(value: Json): Generator<NamedScalar> {
  const left: Array<NamedScalar & { depth: number }> = [{ label: "", value, depth: 0 }];
  for (let parts = 0; left.length > 0 && parts < partsMax; parts += 1) {
    const { label, value: part, depth } = left.pop() ?? { label: "", value: null, depth: 0 };
    if (typeof part !== "object") yield { label: label === "" ? "value" : label, value: part };
    if (typeof part !== "object" || part === null || depth === depthMax) continue;
    const members: typeof left = [];
    if (Array.isArray(part)) {
      for (const [at, item] of part.slice(0, partsMax).entries()) {
        members.push({ label: `${label}[${at}]`, value: item, depth: depth + 1 });
      }
    } else {
      for (const key of Object.keys(part).slice(0, partsMax)) {
        const member = (part as Record<string, Json>)[key];
        if (member === undefined) continue;
        members.push({ label: addKey(label, key), value: member, depth: depth + 1 });
      }
    }
    left.push(...members.reverse());
  }
}

/**
 * A name that comes from outside cannot look like a longer path or like a value. It is whole: a part of a secret in it
 * would be found by no mask.
 */
function addKey(path: string, key: string): string {
  const isPlain = /^[\p{L}_][\p{L}\p{N}_-]{0,99}$/u.test(key);
  if (isPlain) return path === "" ? key : `${path}.${key}`;
  return `${path}[${JSON.stringify(key)}]`;
}
