import { parseArgs } from "node:util";
import { type Change, compareRanks, type SavedRank } from "./saved-ranks.ts";

const usage = "Usage: bun bench/discovery/compare.ts BEFORE AFTER [--half tune|held]";

/** Prints, for each engine and kind of query, what two runs of `run.ts --save` found of the same queries. */
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { half: { type: "string" } },
});
const [beforePath, afterPath] = positionals;
if (beforePath === undefined || afterPath === undefined) throw new Error(usage);
const before = await readRanks(beforePath);
const after = await readRanks(afterPath);
for (const [engine, ofEngine] of Map.groupBy(before, (one) => one.engine)) {
  const kinds = [...Map.groupBy(ofEngine, ({ kind }) => kind), ["all", ofEngine] as const];
  for (const [kind, ofKind] of kinds) {
    for (const places of [1, 5]) {
      const change = compareRanks(ofKind, after, places);
      console.log(`${engine}, ${kind}, first ${places}: ${toSentence(change)}`);
    }
  }
}

async function readRanks(path: string): Promise<SavedRank[]> {
  const ranks: SavedRank[] = await Bun.file(path).json();
  return ranks.filter(({ half }) => values.half === undefined || values.half === half);
}

function toSentence({ queries, before, after, won, lost, low, high, chance }: Change): string {
  const percent = (share: number) => `${(100 * share).toFixed(1)} %`;
  const bounds = `${(100 * low).toFixed(1)} to ${(100 * high).toFixed(1)} points`;
  return `${queries} queries, ${percent(before)} → ${percent(after)} (won ${won}, lost ${lost}; ${bounds}; p ${chance.toFixed(3)})`;
}
