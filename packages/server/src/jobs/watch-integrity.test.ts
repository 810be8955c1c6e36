import { expect, test } from "bun:test";
import type pino from "pino";
import type { Integrity } from "../store/integrity/check-integrity.ts";
import { createIntegrityJob } from "./watch-integrity.ts";

test("The database is checked once a day, and damage is logged each hour", async () => {
  let nowMs = 0;
  let newest: Integrity | null = null;
  let checks = 0;
  const lines: string[] = [];
  const note: pino.LogFn = (_: unknown, message?: unknown) => void lines.push(String(message));
  const job = createIntegrityJob({
    now: () => nowMs,
    log: { error: note, warn: note },
    integrity: {
      read: () => newest,
      async check() {
        checks += 1;
        newest = { checkedAt: nowMs, faults: checks === 1 ? [] : ["row 1 missing from index"] };
        return newest;
      },
    },
  });
  for (let hour = 0; hour < 24; hour += 1) {
    await job.run();
    nowMs += job.everyMs;
  }
  expect([checks, lines]).toEqual([1, []]);
  for (let hour = 0; hour < 3; hour += 1) {
    await job.run();
    nowMs += job.everyMs;
  }
  expect([checks, lines]).toEqual([2, Array(3).fill("The database is damaged")]);
});
