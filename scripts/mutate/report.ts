import { dirname, relative } from "node:path";
import type { Fault } from "./find-faults.ts";

export type Result = {
  fault: Fault;
  /** The test that detected the fault; null for an undetected fault. */
  detectedBy: string | null;
};

export function describeFault({ fault, detectedBy }: Result): string {
  const location = `${fault.file}:${fault.line}`;
  const change = `${fault.kind}: ${shorten(fault.before)} → ${shorten(fault.after) || "(nothing)"}`;
  return detectedBy === null
    ? `UNDETECTED ${location}\n  ${change}`
    : `detected ${location}  ${change}\n  by ${detectedBy}`;
}

/** Prints the rate of each folder below the target, and the undetected faults again. */
export function printRates(target: string, results: readonly Result[]): void {
  const folders = Map.groupBy(results, ({ fault }) => relative(target, dirname(fault.file)) || ".");
  console.log(`\n${"folder".padEnd(24)} detected of faults`);
  for (const [folder, folderResults] of [...folders].sort())
    console.log(toRate(folder, folderResults));
  if (folders.size > 1) console.log(toRate("together", results));
  const undetected = results.filter(({ detectedBy }) => detectedBy === null);
  if (undetected.length > 0) console.log(`\n${undetected.map(describeFault).join("\n")}`);
}

function toRate(name: string, results: readonly Result[]): string {
  const detected = results.filter(({ detectedBy }) => detectedBy !== null).length;
  const percent = ((100 * detected) / results.length).toFixed(0);
  return `${name.padEnd(24)} ${detected} of ${results.length} (${percent} %)`;
}

function shorten(text: string): string {
  const line = text.replace(/\s+/g, " ").trim();
  return line.length <= 160 ? line : `${line.slice(0, 159)}…`;
}
