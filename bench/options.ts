import { parseArgs } from "node:util";
import type { Measure, Plan } from "./measure.ts";

const plans: Record<"usual" | "quick" | "full", Plan> = {
  quick: { rounds: 3, seconds: 0.6, starts: 2, auditRows: 100_000 },
  usual: { rounds: 5, seconds: 2, starts: 7, auditRows: 100_000 },
  full: { rounds: 9, seconds: 4, starts: 15, auditRows: 1_000_000 },
};

export type Options = { plan: Plan; picked: Measure[]; isProfiled: boolean };

/** Throws an error with a message for the user. */
export function readOptions(args: readonly string[], measures: readonly Measure[]): Options {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: {
      quick: { type: "boolean", default: false },
      full: { type: "boolean", default: false },
      profile: { type: "boolean", default: false },
      "audit-rows": { type: "string" },
    },
  });
  if (values.quick && values.full) throw new Error("Choose one of --quick and --full.");
  const plan = { ...plans[values.quick ? "quick" : values.full ? "full" : "usual"] };
  if (values["audit-rows"] !== undefined) plan.auditRows = readCount(values["audit-rows"]);
  return { plan, picked: pick(positionals, measures), isProfiled: values.profile };
}

function readCount(text: string): number {
  const count = Number(text.replaceAll(/[_,]/g, ""));
  if (!Number.isSafeInteger(count) || count < 1 || count > 10_000_000) {
    throw new Error(`--audit-rows must be a number from 1 to 10,000,000, not "${text}".`);
  }
  return count;
}

function pick(names: readonly string[], measures: readonly Measure[]): Measure[] {
  for (const name of names) {
    if (measures.some((measure) => measure.name === name)) continue;
    const known = measures.map((measure) => measure.name).join(", ");
    throw new Error(`There is no measure "${name}". There are: ${known}.`);
  }
  return measures.filter(({ name }) => names.length === 0 || names.includes(name));
}
