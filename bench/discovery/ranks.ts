/** The place of the first answer among the results, from 1; null if there is none. */
export function findRank(found: readonly string[], answers: readonly string[]): number | null {
  const index = found.findIndex((address) => answers.includes(address));
  return index === -1 ? null : index + 1;
}

/** The part of the queries with an answer among the first `places` results. */
export function toShare(ranks: ReadonlyArray<number | null>, places: number): number {
  return toMean(ranks.map((rank) => (rank !== null && rank <= places ? 1 : 0)));
}

/** The mean reciprocal rank. A query without an answer counts as 0. */
export function toMrr(ranks: ReadonlyArray<number | null>): number {
  return toMean(ranks.map((rank) => (rank === null ? 0 : 1 / rank)));
}

function toMean(values: readonly number[]): number {
  if (values.length === 0) throw new Error("A mean needs at least one value.");
  return values.reduce((sum, value) => sum + value, 0) / values.length;
}
