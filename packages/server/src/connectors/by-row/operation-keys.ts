import { isWireKey } from "@hub/connector";

const keyCharsMax = 64;

/**
 * Gives each operation of a row a key for its tool id. A name that had a key keeps it, also if it was
 * gone in between. Other names become keys, and equal ones are numbered.
 */
export function assignKeys(
  sourceNames: readonly string[],
  known: ReadonlyMap<string, string>,
): Map<string, string> {
  const keys = new Map<string, string>();
  const taken = new Set(known.values());
  // The number to try next for a beginning, so that thousands of equal names do not each try all numbers.
  const nextNumbers = new Map<string, number>();
  for (const name of sourceNames) {
    const before = known.get(name);
    const key = before ?? findFreeKey(toKey(name), taken, nextNumbers);
    taken.add(key);
    keys.set(name, key);
  }
  return keys;
}

/** `Repos/listForOrg` becomes `repos_list_for_org`. */
function toKey(name: string): string {
  const words = name
    .slice(0, 4 * keyCharsMax)
    .normalize("NFKD")
    .replace(/(?<=[a-z0-9])(?=[A-Z])/g, "_")
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, "_")
    .replace(/^_+|_+$/g, "");
  const key = words.slice(0, keyCharsMax).replace(/_$/, "");
  return isWireKey(key) ? key : "operation";
}

function findFreeKey(
  key: string,
  taken: ReadonlySet<string>,
  nextNumbers: Map<string, number>,
): string {
  if (!taken.has(key)) return key;
  // Of the beginning, because many long keys may have the same one.
  const beginning = key.slice(0, keyCharsMax - 6);
  let number = nextNumbers.get(beginning) ?? 2;
  const toNumbered = () => `${beginning}_${number}`;
  while (taken.has(toNumbered())) number += 1;
  nextNumbers.set(beginning, number + 1);
  return toNumbered();
}
