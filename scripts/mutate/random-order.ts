import type { Fault } from "./find-faults.ts";

/**
 * Orders the faults randomly by seed. The kinds alternate, because conditions are more frequent than other
 * kinds. Each line is used once.
 */
export function chooseFaults(faults: readonly Fault[], seed: number): Fault[] {
  const random = createRandom(seed);
  const byKind = new Map<string, Fault[]>();
  for (const fault of shuffleBy(faults, random)) {
    byKind.set(fault.kind, [...(byKind.get(fault.kind) ?? []), fault]);
  }
  const kinds = [...byKind.values()];
  const lines = new Set<string>();
  const chosen: Fault[] = [];
  for (let round = 0; kinds.some(({ length }) => round < length); round += 1) {
    for (const kind of shuffleBy(kinds, random)) {
      const fault = kind[round];
      const line = `${fault?.file}:${fault?.line}`;
      if (fault === undefined || lines.has(line)) continue;
      lines.add(line);
      chosen.push(fault);
    }
  }
  return chosen;
}

/** Orders items randomly by seed. */
export function shuffle<Item>(items: readonly Item[], seed: number): Item[] {
  return shuffleBy(items, createRandom(seed));
}

function shuffleBy<Item>(items: readonly Item[], random: () => number): Item[] {
  return items
    .map((item) => ({ item, key: random() }))
    .sort((one, other) => one.key - other.key)
    .map(({ item }) => item);
}

/** Mulberry32, which returns the same numbers for the same seed on every machine. */
function createRandom(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
