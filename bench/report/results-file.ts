import { join } from "node:path";
import { isMet, type Plan, type Row } from "../measure.ts";
import type { Machine } from "./machine.ts";

/** Writes one JSON file per run and returns its path. */
export async function writeResults(
  folder: string,
  results: { startedAt: Date; machine: Machine; plan: Plan; rows: readonly Row[] },
): Promise<string> {
  const { startedAt, machine, plan, rows } = results;
  const stamp = startedAt.toISOString().replace(/[:.]/g, "-");
  const path = join(folder, `${stamp}.json`);
  const document = {
    started_at: startedAt.toISOString(),
    machine,
    plan,
    rows: rows.map((row) => ({ ...row, met: isMet(row) })),
  };
  await Bun.write(path, `${JSON.stringify(document, null, 2)}\n`);
  return path;
}
