/** The limits of the checks of sources. The processes are simulated. */
import { expect, test } from "bun:test";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { createCodePool } from "../../sandbox/code-pool.ts";
import type { CodeRequest, CodeResult } from "../../sandbox/open-code-process.ts";
import { bodyCheckMs, createCodeRunner, waitingChecks } from "./run-code.ts";

const fine: CodeResult = {
  kind: "answer",
  answer: { kind: "value", logs: [] },
  body: new Uint8Array(),
};

/** A runner whose process reads a source until the test ends it. */
function openChecks() {
  const timers = createManualTimers();
  const reading: string[] = [];
  const ends = new Map<string, () => void>();
  const checks = createCodePool({
    timers,
    processesMax: 1,
    ownerProcessesMax: 1,
    waiting: waitingChecks,
    async start() {
      let isKilled = false;
      return {
        pid: 1,
        isAlive: () => !isKilled,
        async kill() {
          isKilled = true;
        },
        run({ source }: CodeRequest, signal: AbortSignal) {
          const { promise, resolve, reject } = Promise.withResolvers<CodeResult>();
          reading.push(source);
          ends.set(source, () => resolve(fine));
          signal.addEventListener("abort", () => reject(signal.reason));
          return promise;
        },
        async runScript(): Promise<never> {
          throw new Error("A check runs nothing.");
        },
      };
    },
  });
  const { openCheck } = createCodeRunner({ scripts: checks, checks, timers });
  const flush = () => new Promise((resolve) => setImmediate(resolve));
  return {
    timers,
    reading,
    flush,
    openCheck: (owner: string, signal = new AbortController().signal) => openCheck(owner, signal),
    async end(source: string) {
      ends.get(source)?.();
      await flush();
    },
  };
}

test("A check ends when its client leaves, also while it waits", async () => {
  const { openCheck, reading, flush, end } = openChecks();
  const caller = new AbortController();
  const left = [openCheck("ann", caller.signal)("a"), openCheck("ann", caller.signal)("b")];
  const stays = openCheck("ann")("c");
  await flush();
  caller.abort();
  for (const one of left) expect(await one.catch(({ code }) => code)).toBe("cancelled");
  await flush();
  expect(reading).toEqual(["a", "c"]);
  await end("c");
  expect(await stays).toBeNull();
});

test("The sources of one body have 10 seconds together, and the time of waiting counts", async () => {
  const { openCheck, timers, reading, flush, end } = openChecks();
  const check = openCheck("ann");
  const first = check("a");
  await flush();
  timers.advance(bodyCheckMs - 1);
  await end("a");
  expect(await first).toBeNull();
  const others = openCheck("ann")("other");
  await flush();
  const second = check("b");
  timers.advance(1);
  expect(await second).toEqual({ kind: "unknown", reason: "late" });
  const third = check("c");
  timers.advance(0);
  expect(await third).toEqual({ kind: "unknown", reason: "late" });
  await end("other");
  expect(await others).toBeNull();
  expect(reading).toEqual(["a", "other"]);
  // Only the timer of the idle process is left.
  expect(timers.pending()).toBe(1);
});

test("Of one owner, sixteen checks wait at most; another owner is not refused", async () => {
  const { openCheck, reading, flush, end } = openChecks();
  const checks = Array.from({ length: 1 + waitingChecks.max }, (_, at) =>
    openCheck("ann")(`a${at}`),
  );
  const refused = openCheck("ann")("one more");
  expect(await refused).toEqual({ kind: "unknown", reason: "busy" });
  const other = openCheck("bob")("b");
  await flush();
  await end("a0");
  await end("b");
  expect(await other).toBeNull();
  for (let at = 1; at < checks.length; at += 1) await end(`a${at}`);
  expect(await Promise.all(checks)).toEqual(checks.map(() => null));
  expect(reading).toEqual(["a0", "b", ...checks.slice(1).map((_, at) => `a${at + 1}`)]);
});
