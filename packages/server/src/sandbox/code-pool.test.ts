import { describe, expect, test } from "bun:test";
import { createManualTimers } from "../lib/time/manual-timers.ts";
import { type CodePool, createCodePool } from "./code-pool.ts";
import type { CodeProcess, CodeRequest, CodeResult } from "./open-code-process.ts";

const nothing = { parts: [], body: [] };
const request = (source: string): CodeRequest => ({
  kind: "run",
  source,
  timeoutMs: 1000,
  shared: null,
  own: nothing,
});
const done: CodeResult = {
  kind: "answer",
  answer: { kind: "value", logs: [] },
  body: new Uint8Array(),
};

/** A pool whose processes end a script when the test says so. */
function openPool(given: Partial<Parameters<typeof createCodePool>[0]> = {}) {
  const faults: Error[] = [];
  const timers = createManualTimers();
  const started: Array<CodeProcess & { isKilled: boolean }> = [];
  const running: string[] = [];
  const ends = new Map<string, (result: CodeResult) => void>();
  const pool = createCodePool({
    ...given,
    timers,
    async start() {
      const fault = faults.shift();
      if (fault !== undefined) throw fault;
      const process = {
        pid: started.length + 1,
        isKilled: false,
        isAlive: () => !process.isKilled,
        async kill() {
          process.isKilled = true;
        },
        run({ source }: CodeRequest) {
          const { promise, resolve } = Promise.withResolvers<CodeResult>();
          running.push(source);
          ends.set(source, resolve);
          return promise;
        },
        async runScript(): Promise<never> {
          throw new Error("No test runs one.");
        },
      };
      started.push(process);
      return process;
    },
  });
  const run = (owner: string, source: string, signal = new AbortController().signal) =>
    pool.run(owner, () => request(source), signal);
  const flush = () => new Promise((resolve) => setImmediate(resolve));
  return {
    pool,
    timers,
    started,
    running,
    run,
    flush,
    faults,
    async end(source: string, result = done) {
      ends.get(source)?.(result);
      await flush();
    },
  };
}

test("One owner gets two processes, so that others are served at once", async () => {
  const { run, running, started, flush, end } = openPool();
  for (const source of ["a1", "a2", "a3", "a4"]) void run("ann", source);
  void run("bob", "b1");
  await flush();
  expect(running).toEqual(["a1", "a2", "b1"]);
  expect(started).toHaveLength(3);
  for (const owner of ["cid", "dan"]) void run(owner, `${owner}1`);
  await end("a1");
  await end("b1");
  await end("a2");
  // The owners are served round-robin. Ann ran two while the others waited.
  expect(running.slice(3)).toEqual(["cid1", "dan1", "a3"]);
  expect(started).toHaveLength(3);
});

test("A process is used again, and ends when it is idle for half a minute", async () => {
  const { run, started, timers, flush, end } = openPool();
  for (const source of ["one", "two"]) {
    const result = run("ann", source);
    await flush();
    await end(source);
    expect(await result).toEqual(done);
    timers.advance(29_000);
  }
  expect(started).toHaveLength(1);
  expect(started[0]?.isKilled).toBeFalse();
  timers.advance(1_000);
  expect(started[0]?.isKilled).toBeTrue();
});

test("A script whose process broke runs again once, in another process", async () => {
  const { run, started, running, flush, end } = openPool();
  const result = run("ann", "a");
  await flush();
  if (started[0]) started[0].isKilled = true;
  const broken: CodeResult = { kind: "broken", cause: new Error("gone") };
  await end("a", broken);
  expect(running).toEqual(["a", "a"]);
  expect(started).toHaveLength(2);
  await end("a", broken);
  expect(await result).toEqual(broken);
});

test("A process that ends while it starts is started once more", async () => {
  const { run, end, flush, faults } = openPool();
  faults.push(new Error("Killed."));
  const first = run("ann", "one");
  await flush();
  await end("one");
  expect((await first).kind).toBe("answer");
  const other = openPool();
  other.faults.push(new Error("Killed."), new Error("Killed again."));
  await expect(other.run("ann", "two")).rejects.toThrow("Killed again.");
});

test("A job that is cancelled while it waits never begins", async () => {
  const { run, running, flush, end } = openPool();
  const cancel = new AbortController();
  for (const source of ["a1", "a2"]) void run("ann", source);
  const waiting = run("ann", "a3", cancel.signal);
  cancel.abort(new Error("cancelled"));
  expect(await waiting.catch(String)).toBe("Error: cancelled");
  await flush();
  await end("a1");
  expect(running).toEqual(["a1", "a2"]);
});

test("The pool counts its processes, the jobs that wait, and the processes that jobs have ended", async () => {
  const { pool, run, flush, end } = openPool();
  const none = { timeout: 0, memory: 0, crash: 0, cancelled: 0 };
  expect(pool.count()).toEqual({ busy: 0, idle: 0, waiting: 0, killed: none });
  for (const source of ["a1", "a2", "a3", "a4"]) void run("ann", source);
  void run("bob", "b1");
  await flush();
  expect(pool.count()).toEqual({ busy: 3, idle: 0, waiting: 2, killed: none });
  await end("a1", { kind: "killed", reason: "memory" });
  await end("a2", { kind: "killed", reason: "timeout" });
  expect(pool.count()).toMatchObject({ busy: 3, waiting: 0 });
  await end("b1", { kind: "broken", cause: new Error("gone") });
  for (const source of ["b1", "a3", "a4"]) await end(source);
  expect(pool.count()).toMatchObject({
    busy: 0,
    waiting: 0,
    killed: { ...none, timeout: 1, memory: 1, crash: 1 },
  });
});

describe("work that must not be done twice", () => {
  const never = new AbortController().signal;
  const once = (pool: CodePool, owner: string, source: string) =>
    pool.runOnce(
      owner,
      () => (process, signal) => process.run(request(source), signal),
      never,
    );

  test("It is not done again when its process broke", async () => {
    const { pool, running, flush, end } = openPool();
    const result = once(pool, "ann", "a");
    await flush();
    const broken: CodeResult = { kind: "broken", cause: new Error("gone") };
    await end("a", broken);
    expect(await result).toEqual(broken);
    expect(running).toEqual(["a"]);
    expect(pool.count().killed.crash).toBe(1);
  });

  test("Processor time counts as time", async () => {
    const { pool } = openPool();
    await pool.runOnce(
      "ann",
      () => async () => ({ kind: "killed", reason: "computing" }) as const,
      never,
    );
    expect(pool.count().killed.timeout).toBe(1);
  });
});

test("A process per owner runs no script of another, and there are never more than may work", async () => {
  const { pool, started, run, flush, end } = openPool({ isPerOwner: true, processesMax: 2 });
  const use = async (owner: string) => {
    const source = `${owner}${crypto.randomUUID()}`;
    const ended = run(owner, source);
    await flush();
    await end(source);
    await ended;
    return started.filter(({ isKilled }) => !isKilled).map(({ pid }) => pid);
  };
  expect(await use("ann")).toEqual([1]);
  expect(await use("bob")).toEqual([1, 2]);
  expect(await use("ann")).toEqual([1, 2]);
  // Bob's is the one that was used first.
  expect(await use("cid")).toEqual([1, 3]);
  expect(pool.count()).toMatchObject({ busy: 0, idle: 2 });
});

test("A closed pool leaves no process", async () => {
  const { pool, run, started, flush, end } = openPool();
  const idle = run("ann", "idle");
  await flush();
  await end("idle");
  await idle;
  void run("ann", "a1").catch(() => {});
  void run("ann", "a2").catch(() => {});
  await flush();
  await pool.close();
  expect(started.map(({ isKilled }) => isKilled)).toEqual([true, true]);
  expect(await run("ann", "later").catch(String)).toContain("The hub is stopping.");
});
