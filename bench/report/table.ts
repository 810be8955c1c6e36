import { isMet, type Row, type Target } from "../measure.ts";
import type { Machine } from "./machine.ts";

/** The machine in one line, a table of all rows, and the detailed numbers. */
export function toReport(machine: Machine, rows: readonly Row[]): string {
  const cells = rows.map((row) => [row.what, toResult(row), toTarget(row), toVerdict(row)]);
  const table = alignColumns([["measure", "result", "target", "met"], ...cells]);
  const details = alignColumns(rows.map((row) => [row.what, toDetails(row)]));
  return [toMachineLine(machine), "", ...table, "", ...details].join("\n");
}

/** Three significant digits below 1,000, whole numbers above. */
export function toNumber(value: number): string {
  if (!Number.isFinite(value)) return "not measured";
  if (Math.abs(value) >= 1000) return Math.round(value).toLocaleString("en");
  return String(Number(value.toPrecision(3)));
}

export function alignColumns(lines: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const line of lines) {
    line.forEach((cell, column) => {
      widths[column] = Math.max(widths[column] ?? 0, cell.length);
    });
  }
  return lines.map((line) =>
    line
      .map((cell, column) => cell.padEnd(widths[column] ?? 0))
      .join("  ")
      .trimEnd(),
  );
}

function toMachineLine(machine: Machine): string {
  const { cores, cpu, memoryGb, kernel, bun, commit, durableWriteMs, loadBefore } = machine;
  return [
    `${cores} × ${cpu}, ${memoryGb} GiB, ${kernel}, Bun ${bun}, commit ${commit}`,
    `durable write ${toNumber(durableWriteMs)} ms, load before ${toNumber(loadBefore)}`,
  ].join("; ");
}

function toResult({ value, unit }: Row): string {
  return `${toNumber(value)} ${unit}`;
}

function toTarget({ target, unit }: Row): string {
  return target === null ? "–" : `${toBound(target)} ${unit}`;
}

function toBound(target: Target): string {
  return "atLeast" in target ? `≥ ${target.atLeast}` : `≤ ${target.atMost}`;
}

function toVerdict(row: Row): string {
  switch (isMet(row)) {
    case true:
      return "yes";
    case false:
      return "NO";
    case null:
      return "–";
  }
}

function toDetails({ details }: Row): string {
  return Object.entries(details)
    .map(([name, value]) => `${name.replaceAll("_", " ")} ${toNumber(value)}`)
    .join(", ");
}
