/** A short part of `scripts/attack-code-node.ts`, and the limits of inputs. */
import { afterAll, describe, expect, test } from "bun:test";
import type { Json } from "@hub/connector";
import { toHubError } from "../../errors.ts";
import { systemTimers as timers } from "../../lib/time/timers.ts";
import { createCodePool } from "../../sandbox/code-pool.ts";
import { findCodeCommand } from "../../sandbox/find-code-command.ts";
import { openCodeProcess } from "../../sandbox/open-code-process.ts";
import { hostileScripts } from "../../sandbox/testing/hostile-scripts.ts";
import { createCodeRunner, type Script } from "./run-code.ts";

const command = findCodeCommand();
const start = () => openCodeProcess({ command, timers, graceMs: 50 });
const pool = createCodePool({ timers, start });
afterAll(() => pool.close());
const runner = createCodeRunner({ scripts: pool, checks: pool, timers });

/** Runs a script, and returns its output or how it failed. */
async function run(source: string, given: Partial<Script> & { event?: Json; node?: object } = {}) {
  const { event = {}, node = {}, ...more } = given;
  const shared = { event, node: { ...node }, env: {} };
  const inputs = { shared, scope: null };
  const script = { ownerId: "ann", source, timeoutMs: 10_000, inputs, recordLogs() {}, ...more };
  try {
    return { code: null, output: await runner.run(script, new AbortController().signal) };
  } catch (thrown) {
    const { code, message } = toHubError(thrown);
    return { code, message };
  }
}

/** The others are in the script: each of these shows another way to end. */
const inSuite = new Set([
  ...["a regular expression", "endless JSON"],
  ...["lists", "one buffer", "recursion", "deep JSON", "a deep value", "many values"],
  ...["much output", "names of prototypes", "replaced functions", "globals", "constructors"],
  "the end of the wrapper",
]);

const tried = hostileScripts.filter(({ name }) => inSuite.has(name));

test("Every hostile script has a test", () => {
  expect(new Set(tried.map(({ name }) => name))).toEqual(inSuite);
});

test.each(tried)("A script that tries $name ends as it must", async ({ source, code }) => {
  expect(await run(source, code === "timeout" ? { timeoutMs: 50 } : {})).toMatchObject({ code });
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});

describe("what people read", () => {
  test("The error of a limit names the limit and says what to do", async () => {
    const sources = ["return 1n", "await new Promise(() => {})", "return 'x'.repeat(2e6)"];
    const messages = [(await run("for (;;);", { timeoutMs: 50 })).message];
    for (const source of sources) messages.push((await run(source)).message);
    expect(messages).toEqual([
      "The script did not end within its 50 ms. Do less in one script, or raise timeout_ms (at most 10,000).",
      "The script returned a value that JSON cannot have: TypeError: Do not know how to serialize a BigInt. Return plain data.",
      expect.stringContaining("waits for a promise that never settles"),
      "The script returned more than 1 MiB of JSON. Return less.",
    ]);
  });

  test("Lines that a script prints are kept up to a limit, also if it fails", async () => {
    const lines: string[] = [];
    const recordLogs = (given: readonly string[]) => void lines.push(...given);
    const source = "for (let i = 0; i < 100; i++) console.warn(i, 'x'.repeat(2000)); null.x";
    expect(await run(source, { recordLogs })).toMatchObject({ code: "code_failed" });
    expect(lines).toHaveLength(21);
    expect(lines[0]).toHaveLength(1000);
    expect(lines[20]).toBe("More lines are left out.");
  });

  test("A line number that the script invents is not named", async () => {
    const source = "const e = new Error('no'); e.stack = 'source.js:999999'; throw e";
    expect(await run(source)).toMatchObject({ message: "The script threw: Error: no" });
  });

  test("An error at the end of the source names its last line", async () => {
    const check = runner.openCheck("ann", new AbortController().signal);
    expect(await check("const a = 1;\nif (a) {")).toEqual({
      kind: "error",
      line: 2,
      message: "SyntaxError: the source ends too early",
    });
    expect(await check("for (;;); return 1")).toBeNull();
  });
});

describe("inputs", () => {
  test("Inputs may have 16 MiB and a million values, and a script reads only the parts that it names", async () => {
    const node = { text: "x".repeat(15 * 1024 * 1024), list: [1, 2] };
    expect(await run("return node.list", { node })).toEqual({ code: null, output: [1, 2] });
    expect(await run("return 1", { node: { text: "x".repeat(17 * 1024 * 1024) } })).toMatchObject({
      code: "invalid_params",
      message: expect.stringContaining("16 MiB"),
    });
    const values = new Array(1_000_001).fill(0);
    expect(await run("return 1", { node: { values } })).toMatchObject({ code: "invalid_params" });
  });

  test("A payload's names of prototypes are data", async () => {
    const event = { Payload: JSON.parse('{"__proto__":{"x":1},"a":1}') };
    const source =
      "return [Object.keys(event.Payload), event.Payload.x === undefined, ({}).x === undefined]";
    expect(await run(source, { event })).toMatchObject({
      output: [["__proto__", "a"], true, true],
    });
  });

  test("A script may change what it reads, and no other script sees it", async () => {
    const source =
      "event.Payload.a += 1; event.more = 1; globalThis.x = (globalThis.x ?? 0) + 1; return [event, x]";
    for (let time = 0; time < 2; time += 1) {
      expect(await run(source, { event: { Payload: { a: 1 } } })).toMatchObject({
        output: [{ Payload: { a: 2 }, more: 1 }, 1],
      });
    }
  });
});

test("A process that is killed while a script runs is replaced, and the script runs again", async () => {
  const seen = new Set<number>();
  const ended = run("const end = Date.now() + 300; while (Date.now() < end); return 1");
  const [first] = await waitForBusy();
  seen.add(first);
  process.kill(first, "SIGKILL");
  expect(await ended).toEqual({ code: null, output: 1 });
  expect(pool.list().map(({ pid }) => pid)).not.toContain(first);
});

async function waitForBusy(): Promise<[number]> {
  for (;;) {
    const busy = pool.list().find(({ isIdle }) => !isIdle);
    if (busy !== undefined) return [busy.pid];
    await new Promise((resolve) => setImmediate(resolve));
  }
}
