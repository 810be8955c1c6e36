/** What is counted since the start, with the names of the labels that tell its counts apart. */
export const tallySpecs = {
  hub_http_requests_total: {
    help: "Answered requests, by door and class of status.",
    labels: ["door", "status"],
  },
  hub_calls_total: {
    help: "Calls of operations and meta-tools that ended, by outcome and code of failure.",
    labels: ["outcome", "code"],
  },
  hub_call_seconds_total: {
    help: "Time that calls took together, by outcome.",
    labels: ["outcome"],
  },
  hub_sign_ins_total: {
    help: "Attempts to sign in, by way and outcome.",
    labels: ["way", "outcome"],
  },
} as const satisfies Record<string, { help: string; labels: readonly string[] }>;

export type TallyName = keyof typeof tallySpecs;

type Texts<Names extends readonly string[]> = { [Place in keyof Names]: string };
type Labels<Name extends TallyName> = Texts<(typeof tallySpecs)[Name]["labels"]>;

export type Tally = { name: TallyName; labels: readonly string[]; value: number };

export type Tallies = ReturnType<typeof createTallies>;

/**
 * Plain numbers, so that counting costs next to nothing and what shows them is loaded when somebody
 * asks. A label is one of a few words, and never says who: figures are read by many.
 */
export function createTallies() {
  const counts = new Map<string, Tally>();
  return {
    add<Name extends TallyName>(name: Name, labels: Labels<Name>, amount = 1): void {
      const key = `${name} ${labels.join(" ")}`;
      const known = counts.get(key);
      if (known !== undefined) known.value += amount;
      else counts.set(key, { name, labels, value: amount });
    },
    list: (): Iterable<Tally> => counts.values(),
  };
}
