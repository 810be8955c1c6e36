import { type Door, kinds } from "./door.ts";
import type { DoorResult, Fault } from "./measure-door.ts";

/** Prints a line for a door: its largest figures, and what it answered. */
export function printDoor({ name }: Door, { worst, statuses, faults }: DoorResult): void {
  const of = ({ attack, value }: { attack: string; value: number }, unit: string) =>
    `${value.toFixed(0)} ${unit} (${attack})`;
  const line = [
    faults.length > 0 ? `OVER THE LAW ${name}` : name,
    `processor ${of(worst.cpuMs, "ms")}`,
    `held ${of(worst.holdMs, "ms")}`,
    `other ${of(worst.otherMs, "ms")}`,
    `memory ${of(worst.memoryMiB, "MiB")}`,
    [...statuses].map(([status, count]) => `${count} × ${status}`).join(", "),
  ];
  console.log(line.join(" | "));
  for (const { attack, what } of faults) {
    console.log(`    ${attack} of ${what.join("; ")}`);
  }
}

/** Prints how many faults each kind of part has at each door. */
export function printFaults(faults: readonly Fault[]): void {
  for (const [kind, ofKind] of Map.groupBy(faults, (one) => one.kind)) {
    const doors = [...Map.groupBy(ofKind, ({ door }) => door)];
    const named = doors.map(([door, of]) => `${door} (${of.length})`).join(", ");
    console.log(`${kind}: ${ofKind.length} over the law: ${named}`);
  }
}

/** Lists the kinds for which a group of doors has no attack. */
export function listGaps(doors: readonly Door[]): string[] {
  return [...Map.groupBy(doors, ({ group }) => group)].flatMap(([group, own]) => {
    const had = new Set(
      own.flatMap(({ attacks }) => Object.values(attacks).map(({ kind }) => kind)),
    );
    return kinds
      .filter((kind) => !had.has(kind))
      .map((kind) => `${group} has no attack by ${kind}`);
  });
}
