import type { Operation } from "../../connectors/connector-port.ts";

type Siblings = ReadonlyMap<string, Pick<Operation, "inputFields">>;

/** With fewer operations, an input of all of them can be what each is about. */
const operationsMin = 10;
/** So many operations of a row tell which inputs all of them have. */
const sampleMax = 100;
const shareMin = 0.8;

/**
 * The inputs that nearly all operations of a row have, such as the format of the answer. They tell nothing of one of them.
 */
export function findSharedInputs(siblings: Siblings): ReadonlySet<string> {
  if (siblings.size < operationsMin) return new Set();
  const step = Math.ceil(siblings.size / sampleMax);
  const sample = [...siblings.values()].filter((_, at) => at % step === 0);
  const counts = new Map<string, number>();
  for (const { inputFields } of sample) {
    for (const { key } of inputFields) counts.set(key, (counts.get(key) ?? 0) + 1);
  }
  const shared = [...counts].filter(([, count]) => count >= shareMin * sample.length);
  return new Set(shared.map(([key]) => key));
}
