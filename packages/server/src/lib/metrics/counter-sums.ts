import type Counter from "prom-client/lib/counter.js";

/** What is added to a counter with two labels between two scrapes. */
type CounterSums = {
  add(first: string, second: string, amount: number): void;
  /** Passes all on to the counter. */
  flush(): void;
};

/**
 * The counter itself makes a text of the labels for each addition. Calls add several times each, and use few
 * combinations of labels.
 */
export function createCounterSums<Label extends string>(
  counter: Counter<Label>,
  [first, second]: readonly [Label, Label],
): CounterSums {
  const sums = new Map<string, Map<string, number>>();
  return {
    add(one, two, amount) {
      let ofFirst = sums.get(one);
      if (ofFirst === undefined) {
        ofFirst = new Map();
        sums.set(one, ofFirst);
      }
      ofFirst.set(two, (ofFirst.get(two) ?? 0) + amount);
    },
    flush() {
      for (const [one, ofFirst] of sums) {
        // The counter takes its labels as a record of their names.
        const toLabels = (two: string) =>
          ({ [first]: one, [second]: two }) as Record<Label, string>;
        for (const [two, sum] of ofFirst) counter.inc(toLabels(two), sum);
      }
      sums.clear();
    },
  };
}
