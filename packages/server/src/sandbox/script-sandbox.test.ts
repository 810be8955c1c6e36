/** Scripts that ask the hub, in real processes: a short part of `scripts/attack-code-node.ts`, and the limits. */
import { afterAll, describe, expect, test } from "bun:test";
import { isWholeAmount } from "../lib/testing/amount.ts";
import { createManualTimers } from "../lib/time/manual-timers.ts";
import { systemTimers as timers } from "../lib/time/timers.ts";
import { createCodePool } from "./code-pool.ts";
import { createScriptSandbox } from "./create-script-sandbox.ts";
import { findCodeCommand } from "./find-code-command.ts";
import { openCodeProcess } from "./open-code-process.ts";
import type { SandboxScript, ScriptQuestion, ScriptReply } from "./script-sandbox.ts";
import { echoQuestion, hostileAskers } from "./testing/hostile-askers.ts";

const command = findCodeCommand();
const pool = createCodePool({
  timers,
  start: () => openCodeProcess({ command, timers }),
  isPerOwner: true,
});
afterAll(() => pool.close());
const sandbox = createScriptSandbox({ pool, timers });
const computeMs = 100;
const hurried = createScriptSandbox({ pool, timers, computeMs });
const never = new AbortController().signal;

type RunOptions = Partial<SandboxScript> & { isHurried?: boolean };

async function run(source: string, given: RunOptions = {}, signal = never) {
  const asked: ScriptQuestion[] = [];
  const { answer = echoQuestion, isHurried = false, ...more } = given;
  const end = await (isHurried ? hurried : sandbox).run(
    {
      ownerId: "ann",
      source,
      input: null,
      timeoutMs: 20_000,
      answer(question, stop) {
        asked.push(question);
        return answer(question, stop);
      },
      ...more,
    },
    signal,
  );
  if (end.kind !== "failed") return { ...end, asked };
  const { code, message, detail } = end.error;
  return { kind: end.kind, code, message, detail, logs: end.logs, asked };
}

/** Answers when its call is cancelled. */
function untilCancelled(_: ScriptQuestion, signal: AbortSignal): Promise<ScriptReply> {
  const { promise, resolve } = Promise.withResolvers<ScriptReply>();
  signal.addEventListener("abort", () => resolve({ kind: "error", text: "{}" }));
  return promise;
}

const fail = (members: object) => async () => ({
  kind: "error" as const,
  text: JSON.stringify(members),
});

describe("what a script has", () => {
  test("A script calls tools and searches, and its value is the end", async () => {
    const source = `
      console.log("begins", input.name);
      const found = await search("issues");
      const got = await call("conn:1/a", { b: [1, null, "ü"] }, { fields: ["x.y"] });
      return [found, got, await call("conn:1/b")];`;
    expect(await run(source, { input: { name: "n" } })).toMatchObject({
      kind: "value",
      logs: ["begins n"],
      value: [
        { kind: "search", query: "issues" },
        { kind: "call", toolId: "conn:1/a", params: { b: [1, null, "ü"] }, fields: ["x.y"] },
        { kind: "call", toolId: "conn:1/b", params: {} },
      ],
    });
  });

  test("Five calls are open at once, and answers may come in any order", async () => {
    const open: Array<{ id: string; resolve(reply: ScriptReply): void }> = [];
    let mostOpen = 0;
    const ended = run(
      "return await Promise.all(Array.from({ length: 12 }, (_, at) => call(String(at))))",
      {
        answer(question) {
          const { promise, resolve } = Promise.withResolvers<ScriptReply>();
          open.push({ id: question.kind === "call" ? question.toolId : "", resolve });
          mostOpen = Math.max(mostOpen, open.length);
          // The last one is answered first.
          const isLast = open.at(-1)?.id === "11";
          for (let left = isLast ? 5 : open.length - 4; left > 0; left -= 1) {
            const last = open.pop();
            last?.resolve({ kind: "value", text: last.id });
          }
          return promise;
        },
      },
    );
    expect(await ended).toMatchObject({ value: Array.from({ length: 12 }, (_, at) => at) });
    expect(mostOpen).toBe(5);
  });

  test("An error of a call has its members, and the line of the call", async () => {
    const answer = fail({
      message: "Ask.",
      code: "approval_required",
      pending_id: "p1",
      more: { a: 1 },
    });
    const source =
      "\ntry { await call('a') } catch (e) { return [e instanceof Error, e.message, e.code, e.pending_id, e.more, e.stack.includes('source.js:2')] }";
    expect(await run(source, { answer })).toMatchObject({
      value: [true, "Ask.", "approval_required", "p1", { a: 1 }, true],
    });
    expect(await run("const a = 1;\n\nawait call('a');", { answer })).toMatchObject({
      code: "code_failed",
      message: "The script threw on line 3: Error: Ask.",
      detail: {
        line: 3,
        thrown: { code: "approval_required", pending_id: "p1" },
      },
    });
  });

  test("A name of prototypes in an error is a member of its own", async () => {
    const answer = async () => ({
      kind: "error" as const,
      text: '{"message":"m","__proto__":{"polluted":1},"name":"X","stack":"source.js:99"}',
    });
    const source =
      "try { await call('a') } catch (e) { return [e instanceof Error, ({}).polluted === undefined, e.name, e.stack.includes('99')] }";
    expect(await run(source, { answer })).toMatchObject({ value: [true, true, "Error", false] });
  });
});

describe("limits", () => {
  test("A script that waits too long says so, with what it has printed, and its calls are cancelled", async () => {
    const source = "console.log('one'); call('a'); call('b'); await call('c')";
    const before = pool.list();
    const ended = await run(source, { timeoutMs: 200, answer: untilCancelled });
    expect(ended).toMatchObject({
      code: "timeout",
      message:
        "The script did not end within 0.2 s, with its waiting for calls. It had begun 3 calls and searches, of which 0 had ended. Do less in one script, or raise timeout_s.",
      logs: ["one"],
    });
    // The process has ended well.
    expect(pool.list()).toEqual(before);
  });

  test("Waiting is no computing, and computing has a limit of its own", async () => {
    const answer = async () => {
      await Bun.sleep(computeMs + 50);
      return { kind: "value", text: "1" } as const;
    };
    const isHurried = true;
    expect(await run("return await call('a')", { answer, isHurried })).toMatchObject({ value: 1 });
    expect(await run("await call('a'); for (;;);", { isHurried })).toMatchObject({
      code: "timeout",
      message:
        "The script computed for more than 0.1 s, apart from waiting for calls. It had begun 1 call or search, of which 1 had ended. Compute less in one script.",
    });
  });

  test("A script that ends waits for the calls that it has begun", async () => {
    let isDone = false;
    const answer = async () => {
      await Bun.sleep(50);
      isDone = true;
      return { kind: "value", text: "1" } as const;
    };
    expect(await run("call('a'); return 2", { answer })).toMatchObject({ value: 2 });
    expect(isDone).toBeTrue();
  });

  test("An answer that comes after the end is given to no other script", async () => {
    // The answer is sent while the script computes, and is never read.
    await run("call('a'); const end = Date.now() + 50; while (Date.now() < end); return 1");
    expect(await run("return await call('b')")).toMatchObject({ value: { toolId: "b" } });
  });

  test("A source and a result have limits", async () => {
    await expect(run(" ".repeat(64 * 1024 + 1))).rejects.toThrow("at most 64 KiB");
    expect(await run("return 'x'.repeat(2e6)")).toMatchObject({
      message: "The script returned more than 1 MiB of JSON. Return less.",
    });
    expect(await run("if (")).toMatchObject({
      message: expect.stringContaining("None of it has run"),
    });
  });
});

describe("processes", () => {
  test("A cancelled script ends with its process, and its calls are cancelled", async () => {
    const cancel = new AbortController();
    const pids: number[] = [];
    const ended = run(
      "await call('a')",
      {
        answer(question, signal) {
          pids.push(...pool.list().flatMap(({ pid, isIdle }) => (isIdle ? [] : [pid])));
          cancel.abort(new Error("cancelled by the user"));
          return untilCancelled(question, signal);
        },
      },
      cancel.signal,
    );
    expect(await ended.catch(String)).toBe("Error: cancelled by the user");
    expect(pids).toHaveLength(1);
    expect(pool.list().map(({ pid }) => pid)).not.toContain(pids[0]);
  });

  test("A script whose process is killed is broken, and is not run again", async () => {
    const ended = await run("await call('a')", {
      answer(question, signal) {
        for (const { pid, isIdle } of pool.list()) if (!isIdle) process.kill(pid, "SIGKILL");
        return untilCancelled(question, signal);
      },
    });
    expect(ended).toEqual({
      kind: "broken",
      asked: [{ kind: "call", toolId: "a", params: {} }],
    });
  });

  test("A script waits 10 s for a process, and is then refused with the wait", async () => {
    const clock = createManualTimers();
    const begun = Promise.withResolvers<void>();
    const waiting = createScriptSandbox({
      timers: clock,
      pool: {
        async runOnce(_, __, signal) {
          begun.resolve();
          await new Promise((_, reject) =>
            signal.addEventListener("abort", () => reject(signal.reason)),
          );
          throw new Error("It never begins.");
        },
      },
    });
    const script = { ownerId: "a", source: "", input: null, timeoutMs: 1, answer: echoQuestion };
    const ended = waiting.run(script, never).catch((err) => err);
    await begun.promise;
    clock.advance(9_999);
    expect(clock.pending()).toBe(1);
    clock.advance(1);
    expect(await ended).toMatchObject({
      code: "rate_limited",
      detail: { retry_after_s: 10, waited_s: 10 },
    });
    expect(clock.pending()).toBe(0);
  });
});

/** The others are in the script: each of these shows another way to end. */
const inSuite = new Set([
  ...["a flood of calls", "calls and an endless loop", "a call after the end"],
  ...["a promise without end, after a call", "a thenable as params", "a toJSON that calls"],
  ...["a getter that throws", "large params", "deep params", "an unknown option"],
  ...["a call at the end of the stack", "replaced functions", "setters of prototypes"],
  ...["names of prototypes in a result", "the functions of the host"],
]);

const tried = hostileAskers.filter(({ name }) => isWholeAmount || inSuite.has(name));

test("Every hostile script has a test", () => {
  const names = tried.map(({ name }) => name);
  expect(names.filter((name) => inSuite.has(name))).toHaveLength(inSuite.size);
  expect(tried).toHaveLength(isWholeAmount ? hostileAskers.length : inSuite.size);
});

test.each(tried)("A script that tries $name ends as it must", async ({ source, end, asks }) => {
  const ended = await run(source, { isHurried: "code" in end && end.code === "timeout" });
  expect(ended).toMatchObject(end);
  expect(ended.asked).toHaveLength(asks);
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
});
