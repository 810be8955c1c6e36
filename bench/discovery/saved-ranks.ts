import type { Query } from "./corpus-file.ts";

/** What `run.ts --save` writes: the rank that an engine gave to a query. */
export type SavedRank = Query & { engine: string; rank: number | null };

/** What happened to the same queries between two runs. */
export type Change = {
  queries: number;
  before: number;
  after: number;
  won: number;
  lost: number;
  /** The bounds of 95 % of the difference of the shares. */
  low: number;
  high: number;
  /** The probability of a difference at least as large by chance: McNemar's exact test. */
  chance: number;
};

/** Compares the queries with an answer among the first `places` results. Both lists are of the same queries. */
export function compareRanks(
  before: readonly SavedRank[],
  after: readonly SavedRank[],
  places: number,
): Change {
  const isFound = ({ rank }: SavedRank) => rank !== null && rank <= places;
  const later = new Map(after.map((one) => [toKey(one), one]));
  const steps = before.map((one) => {
    const other = later.get(toKey(one));
    if (other === undefined) throw new Error(`The second file has no "${one.query}".`);
    return Number(isFound(other)) - Number(isFound(one));
  });
  const won = steps.filter((step) => step > 0).length;
  const lost = steps.filter((step) => step < 0).length;
  const queries = before.length;
  const mean = (won - lost) / queries;
  // The variance of paired shares. One pair is added to each side, so that no pairs do not mean certainty.
  const spread = Math.sqrt((won + lost + 2 - (won - lost) ** 2 / queries) / queries ** 2);
  const found = before.filter(isFound).length;
  return {
    queries,
    before: found / queries,
    after: (found + won - lost) / queries,
    won,
    lost,
    low: mean - 1.96 * spread,
    high: mean + 1.96 * spread,
    chance: toChance(won, lost),
  };
}

function toKey({ engine, hub = "", query }: SavedRank): string {
  return [engine, hub, query].join("\n");
}

/** Twice the smaller tail of a fair coin, at most 1. */
function toChance(won: number, lost: number): number {
  const tosses = won + lost;
  let term = 0.5 ** tosses;
  let tail = 0;
  for (let heads = 0; heads <= Math.min(won, lost); heads += 1) {
    tail += term;
    term *= (tosses - heads) / (heads + 1);
  }
  return Math.min(2 * tail, 1);
}
