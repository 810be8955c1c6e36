/** How long and how often. Everything is bounded by these. */
export type Plan = {
  /** How many times echo and hub take turns; medians are over these. */
  rounds: number;
  /** Load per turn. */
  seconds: number;
  /** How many times a program is started. */
  starts: number;
  /** How many audit rows the growth measure compares with none. */
  auditRows: number;
};

export type Bench = {
  plan: Plan;
  /** An empty folder on a real disk, removed when the run ends. */
  createFolder(): Promise<string>;
  /** Where servers leave a processor profile when they end; null without `--profile`. */
  profileFolder: string | null;
  /** One line of progress. */
  say(text: string): void;
};

export type Target = { atLeast: number } | { atMost: number };

export type Row = {
  what: string;
  value: number;
  unit:
    | "ms"
    | "MB"
    | "% of echo"
    | "% of built in"
    | "% of personal token"
    | "× the smallest"
    | "× alone";
  target: Target | null;
  /** Figures behind the value, with their unit in the name. */
  details: Record<string, number>;
};

export type Measure = {
  /** What a person types to pick it. */
  name: string;
  run(bench: Bench): Promise<Row[]>;
};

/** Null where there is no target. */
export function isMet({ value, target }: Pick<Row, "value" | "target">): boolean | null {
  if (target === null) return null;
  return "atLeast" in target ? value >= target.atLeast : value <= target.atMost;
}
