/** The middle one; of two middle ones their mean. */
export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const upper = sorted[Math.floor(sorted.length / 2)];
  const lower = sorted[Math.ceil(sorted.length / 2) - 1];
  if (upper === undefined || lower === undefined) throw new Error("No values to take a median of.");
  return (lower + upper) / 2;
}

/** Nearest rank: the smallest value that `percent` of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = values.toSorted((a, b) => a - b);
  const found = sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)];
  if (found === undefined) throw new Error("No values to take a percentile of.");
  return found;
}

/**
 * Runs the subjects in turn, `rounds` times, every other round backwards. What disturbs the machine
 * for a while, or drifts, then hits all of them alike.
 */
export async function alternate<Name extends string, Value>(
  rounds: number,
  subjects: Record<Name, () => Promise<Value>>,
): Promise<Record<Name, Value[]>> {
  // `Object.keys` forgets that these are the record's own names.
  const names = Object.keys(subjects) as Name[];
  const results = new Map<Name, Value[]>(names.map((name) => [name, []]));
  for (let round = 0; round < rounds; round += 1) {
    for (const name of round % 2 === 0 ? names : names.toReversed()) {
      results.get(name)?.push(await subjects[name]());
    }
  }
  // Every name of the record was set above.
  return Object.fromEntries(results) as Record<Name, Value[]>;
}
