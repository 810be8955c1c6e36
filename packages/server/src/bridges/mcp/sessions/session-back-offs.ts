import { ProgramFailure } from "../../../connectors/program-failure.ts";
import type { Timers } from "../../../lib/time/timers.ts";
import { type BackOff, createBackOff } from "../../../plugins/process/back-off.ts";

const backOffsMax = 1000;

/** With the last lines of the program that failed. */
type KeyBackOff = BackOff & { output: string };

/** How long each session that has failed is not opened again. The longest unused ones are forgotten. */
export class SessionBackOffs {
  readonly #timers: Timers;
  readonly #byKey = new Map<string, KeyBackOff>();

  constructor(timers: Timers) {
    this.#timers = timers;
  }

  /** Throws if the session may not be opened yet. */
  check(key: string): void {
    const backOff = this.#byKey.get(key);
    const remainingMs = backOff?.remainingMs() ?? 0;
    if (backOff === undefined || remainingMs === 0) return;
    throw new ProgramFailure(
      `The MCP server has failed ${backOff.crashes()} times in a row. The hub tries again in ${Math.ceil(remainingMs / 1000)} s. An admin can test the row.`,
      backOff.output,
    );
  }

  /** `thrown` is why the session did not open, if it did not. */
  recordCrash(key: string, life: Parameters<BackOff["recordCrash"]>[0], thrown?: unknown): void {
    const backOff = this.#find(key);
    backOff.recordCrash(life);
    backOff.output = thrown instanceof ProgramFailure ? thrown.programOutput : "";
  }

  forget(key: string): void {
    this.#byKey.delete(key);
  }

  #find(key: string): KeyBackOff {
    const known = this.#byKey.get(key) ?? { ...createBackOff(this.#timers), output: "" };
    // Moved to the end, so that the first key is the longest unused one.
    this.#byKey.delete(key);
    this.#byKey.set(key, known);
    const [oldest] = this.#byKey.keys();
    if (this.#byKey.size > backOffsMax && oldest !== undefined) this.#byKey.delete(oldest);
    return known;
  }
}
