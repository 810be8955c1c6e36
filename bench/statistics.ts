/** The middle value, or the mean of the two middle values. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined)
    throw new Error("The median needs at least one value.");
  return (lower + upper) / 2;
}

/** Nearest rank: the smallest value that `percent` of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (found === undefined) throw new Error("The percentile needs at least one value.");
  return found;
}

/** The median of what `compare` makes of the values that two subjects have in each round. */
export function compareRounds<One, Other>(
  ones: readonly One[],
  others: readonly Other[],
  compare: (one: One, other: Other) => number,
): number {
  return median(
    ones.map((one, round) => {
      const other = others[round];
      if (other === undefined) throw new Error("Both subjects need the same rounds.");
      return compare(one, other);
    }),
  );
}

/**
 * Runs the subjects in turn for `rounds` rounds, in reverse order in every other round, so that a disturbance
 * or drift of the machine affects all of them equally.
 */
export async function alternate<Name extends string, Value>(
  rounds: number,
  subjects: Record<Name, () => Promise<Value>>,
): Promise<Record<Name, Value[]>> {
  // The cast is safe: `Object.keys` returns the names of the record, but with the type string.
  const names = Object.keys(subjects) as Name[];
  const results = new Map<Name, Value[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      results.get(name)?.push(await subjects[name]());
    }
  }
  // The cast is safe: every name of the record is set above.
  return Object.fromEntries(results) as Record<Name, Value[]>;
}
