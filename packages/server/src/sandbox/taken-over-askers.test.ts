/** Processes of scripts that have been taken over, and ask the hub as no script can. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { someOf } from "../lib/testing/amount.ts";
import { waitUntil } from "../lib/testing/wait-until.ts";
import { type Timers, systemTimers as timers } from "../lib/time/timers.ts";
import { openCodeProcess } from "./open-code-process.ts";
import { replyBytesMax } from "./script-limits.ts";
import type { ScriptQuestion, ScriptReply } from "./script-sandbox.ts";
import { readyFrame, toFrame, writeFakeProcess } from "./testing/fake-process.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-askers-"));
});
afterAll(() => rm(folder, { recursive: true }));

const never = new AbortController().signal;
const call = (id: number, more: object = {}) => ({ kind: "call", id, toolId: "t", ...more });
const question = (id: number, body = "{}") => toFrame(call(id), body);
const value = toFrame({ kind: "value", logs: [] }, "1");
const joinFrames = (...frames: Uint8Array[]) => Buffer.concat(frames);

/** A limit that passes as soon as the process has asked. Nothing else waits as long. */
const shortMs = 77;

/** Runs a script in a process that sends `then`. Calls are answered when they are cancelled. */
async function play(
  then: Uint8Array | string,
  timeoutMs = 60_000,
  answer: ((question: ScriptQuestion) => Promise<ScriptReply>) | null = null,
) {
  const command = await writeFakeProcess(folder, readyFrame, then);
  const firstAsked = Promise.withResolvers<void>();
  const after: Timers["after"] = (ms, callback) => {
    if (ms !== shortMs) return timers.after(ms, callback);
    // Not before, however busy the machine is.
    let isNeeded = true;
    void firstAsked.promise.then(() => isNeeded && callback());
    return () => {
      isNeeded = false;
    };
  };
  const opened = await openCodeProcess({ command, timers: { ...timers, after }, graceMs: 50 });
  const asked: ScriptQuestion[] = [];
  const cancelled: ScriptQuestion[] = [];
  const result = await opened.runScript(
    {
      source: "",
      timeoutMs,
      computeMs: 1000,
      own: { parts: [], body: [] },
      answer(one, signal) {
        asked.push(one);
        firstAsked.resolve();
        if (answer !== null) return answer(one);
        const { promise, resolve } = Promise.withResolvers<ScriptReply>();
        signal.addEventListener("abort", () => {
          cancelled.push(one);
          resolve({ kind: "error", text: "{}" });
        });
        return promise;
      },
    },
    never,
  );
  if (answer === null) expect(cancelled).toEqual(asked);
  return { result, asked, opened };
}

const forged: ReadonlyArray<[string, Uint8Array | string, number]> = [
  ["an id that was used", joinFrames(question(1), question(1)), 1],
  ["an id that is not the next", question(2), 0],
  ["an id that is no number", toFrame({ ...call(1), id: "1" }, "{}"), 0],
  ["six questions at once", joinFrames(...[1, 2, 3, 4, 5, 6].map((id) => question(id))), 5],
  ["a question after the end", joinFrames(value, question(1)), 0],
  ["two ends", joinFrames(value, value), 0],
  ["a second start", readyFrame, 0],
  ["an answer of the hub", toFrame({ kind: "reply", id: 1, isError: false }, "1"), 0],
  ["a kind that there is not", toFrame({ kind: "shutdown", id: 1 }), 0],
  ["another member", toFrame(call(1, { ownerId: "admin" }), "{}"), 0],
  ["a long id of a tool", toFrame(call(1, { toolId: "x".repeat(1001) }), "{}"), 0],
  ["many fields", toFrame(call(1, { fields: new Array(101).fill("a") }), "{}"), 0],
  ["a header that is too long", toFrame("x".repeat(300 * 1024)), 0],
  ["a deep header", toFrame("[".repeat(100_000)), 0],
  ["a header that is no JSON", toFrame("{"), 0],
  ["a body that is too long", toFrame(call(1), "", 2 ** 31), 0],
  ["params that are too long", question(1, `"${"x".repeat(300 * 1024)}"`), 0],
  ["params that are no JSON", question(1, "{"), 0],
  ["invalid UTF-8", joinFrames(toFrame(call(1), "", 3), new Uint8Array([0x22, 0xff, 0x22])), 0],
  ["a query that is no text", toFrame({ kind: "search", id: 1 }, "{}"), 0],
  ["bytes without end", "exec /bin/cat /dev/zero", 0],
];

test.each(someOf(7, forged))("A process that sends %s is ended", async (_, then, begun) => {
  const { result, asked, opened } = await play(then);
  expect(result).toMatchObject({ kind: "broken", counts: { begun, ended: 0 } });
  expect(asked).toHaveLength(begun);
  expect(opened.isAlive()).toBeFalse();
});

test("A process that asks and does nothing more is ended at the limit, and its calls are cancelled", async () => {
  const { result, asked, opened } = await play(question(1), shortMs);
  expect(result).toEqual({ kind: "killed", reason: "timeout", counts: { begun: 1, ended: 0 } });
  expect(asked).toHaveLength(1);
  expect(opened.isAlive()).toBeFalse();
});

test("A process that sends more after an end gets no other script", async () => {
  const go = join(folder, "go");
  const { result, opened } = await play(
    `printf '${toShell(value)}'; until [ -e ${go} ]; do /bin/sleep 0.01; done; exec /bin/cat /dev/zero`,
  );
  expect(result).toMatchObject({ kind: "answer" });
  expect(opened.isAlive()).toBeTrue();
  await writeFile(go, "");
  await waitUntil(() => !opened.isAlive());
});

test("A process that asks on and reads no answer is ended, so that few answers are held for it", async () => {
  const answer: ScriptReply = { kind: "value", text: `"${"x".repeat(replyBytesMax - 2)}"` };
  // One after another, because six at once are refused in any case.
  const one = (id: number) => `printf '${toShell(question(id))}'; /bin/sleep 0.02`;
  const asking = Array.from({ length: 40 }, (_, at) => one(at + 1)).join("; ");
  const { result, asked, opened } = await play(asking, 60_000, async () => answer);
  expect(result).toMatchObject({ kind: "broken" });
  expect(asked.length).toBeWithin(1, 8);
  expect(opened.isAlive()).toBeFalse();
});

test("A process that computes too long is ended by the system", async () => {
  const { result } = await play("kill -s XCPU $$");
  expect(result).toMatchObject({ kind: "killed", reason: "computing" });
});

function toShell(bytes: Uint8Array): string {
  return [...bytes].map((byte) => `\\${byte.toString(8).padStart(3, "0")}`).join("");
}
