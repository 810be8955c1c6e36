import { dirname, relative } from "node:path";
import type { Fault } from "./find-faults.ts";

export type Result = {
  fault: Fault;
  /** What noticed the fault; null for a survivor. */
  noticedBy: string | null;
};

export function describeFault({ fault, noticedBy }: Result): string {
  const place = `${fault.file}:${fault.line}`;
  const change = `${fault.kind}: ${shorten(fault.before)} → ${shorten(fault.after) || "(nothing)"}`;
  return noticedBy === null
    ? `SURVIVED ${place}\n  ${change}`
    : `noticed  ${place}  ${change}\n  by ${noticedBy}`;
}

/** The rate of each folder below the target, and the survivors once more. */
export function printRates(target: string, results: readonly Result[]): void {
  const folders = Map.groupBy(results, ({ fault }) => relative(target, dirname(fault.file)) || ".");
  console.log(`\n${"folder".padEnd(24)} noticed of faults`);
  for (const [folder, ofFolder] of [...folders].sort()) console.log(toRate(folder, ofFolder));
  if (folders.size > 1) console.log(toRate("together", results));
  const survivors = results.filter(({ noticedBy }) => noticedBy === null);
  if (survivors.length > 0) console.log(`\n${survivors.map(describeFault).join("\n")}`);
}

function toRate(name: string, results: readonly Result[]): string {
  const noticed = results.filter(({ noticedBy }) => noticedBy !== null).length;
  const percent = ((100 * noticed) / results.length).toFixed(0);
  return `${name.padEnd(24)} ${noticed} of ${results.length} (${percent} %)`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= 160 ? line : `${line.slice(0, 159)}…`;
}
