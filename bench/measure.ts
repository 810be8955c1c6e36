/** Durations and repetitions of all measures. */
export type Plan = {
  /** The number of rounds in which echo and hub alternate. Results are medians of the rounds. */
  rounds: number;
  /** The duration of the load in each turn. */
  seconds: number;
  /** The number of starts of a program. */
  starts: number;
  /** The number of audit rows that the growth measure compares with zero rows. */
  auditRows: number;
};

export type Bench = {
  plan: Plan;
  /** An empty folder on a disk, which is removed when the run ends. */
  createFolder(): Promise<string>;
  /** The folder for the processor profiles of servers; null without `--profile`. */
  profileFolder: string | null;
  /** Prints one line of progress. */
  say(text: string): void;
};

export type Target = { atLeast: number } | { atMost: number };

export type Row = {
  what: string;
  value: number;
  unit:
    | "ms"
    | "MB"
    | "runs/s"
    | "% of echo"
    | "% of built in"
    | "% of personal token"
    | "% of single calls"
    | "% of no traces"
    | "× the smallest"
    | "× alone"
    | "× SQLite"
    | "× one server"
    | "× pgbench";
  target: Target | null;
  /** Detailed numbers. Their names end with the unit. */
  details: Record<string, number>;
};

export type Measure = {
  /** The argument that selects the measure. */
  name: string;
  run(bench: Bench): Promise<Row[]>;
};

/** Null if there is no target. */
export function isMet({ value, target }: Pick<Row, "value" | "target">): boolean | null {
  if (target === null) return null;
  return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}
