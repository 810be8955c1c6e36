/** Processes of code nodes that have been taken over: the hub trusts nothing that they send. */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { systemTimers as timers } from "../lib/time/timers.ts";
import { toPrefix } from "./code-frames.ts";
import { findCodeCommand } from "./find-code-command.ts";
import { type CodeRequest, openCodeProcess } from "./open-code-process.ts";
import { readyFrame, toFrame, writeFakeProcess } from "./testing/fake-process.ts";

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "hub-code-"));
});
afterAll(() => rm(folder, { recursive: true }));

const nothing = { parts: [], body: [] };
const request: CodeRequest = {
  kind: "run",
  source: "return 1",
  timeoutMs: 60_000,
  shared: null,
  own: nothing,
};
const never = new AbortController().signal;

const frame = toFrame;
const ready = readyFrame;

async function play(first: Uint8Array, then: Uint8Array | string) {
  const command = await writeFakeProcess(folder, first, then);
  return await openCodeProcess({ command, timers, graceMs: 50 });
}

test.each([
  ["text", Buffer.from("Segmentation fault\n".repeat(10))],
  ["an answer that is too long", frame({ kind: "value", logs: [] }, "", 2 ** 31)],
  ["a header that is too long", toPrefix(new Uint8Array(300 * 1024), 0)],
  ["two answers", Buffer.concat([frame({ kind: "value", logs: [] }, "1"), ready])],
  ["a second start", ready],
  ["a header that is no JSON", frame("{")],
  ["a deep header", frame("[".repeat(100_000))],
  ["an unknown kind", frame({ kind: "shutdown" })],
  ["an unknown member", frame({ kind: "value", logs: [], more: 1 })],
  ["many lines", frame({ kind: "value", logs: Array.from({ length: 100 }, () => "x") })],
  ["a long line", frame({ kind: "value", logs: ["x".repeat(5000)] })],
  ["bytes without end", "exec /bin/cat /dev/zero"],
])("A process that sends %s is ended", async (_, answer) => {
  const process = await play(ready, answer);
  expect(await process.run(request, never)).toMatchObject({ kind: "broken" });
  expect(process.isAlive()).toBeFalse();
});

test("A process that sends while nothing is asked is ended", async () => {
  const script = `/bin/cat ${join(folder, "ready")}; exec /bin/cat /dev/zero`;
  await writeFile(join(folder, "ready"), ready);
  const command = { command: "/bin/sh", args: ["-c", script], env: {} };
  const opened = await openCodeProcess({ command, timers }).catch((err: Error) => err);
  if (opened instanceof Error) expect(String(opened)).toContain("did not start");
  else expect(await opened.run(request, never)).toMatchObject({ kind: "broken" });
});

test("A process that answers nothing is ended at the limit, with what it has started", async () => {
  const process = await play(ready, "/bin/sleep 60 & echo $! >&2; wait");
  const ended = await process.run({ ...request, timeoutMs: 50 }, never);
  expect(ended).toEqual({ kind: "killed", reason: "timeout" });
  expect(process.isAlive()).toBeFalse();
});

test("A program that does not start is a fault of the hub", async () => {
  const start = (command: string) =>
    openCodeProcess({ command: { command, args: [], env: {} }, timers }).catch(String);
  expect(await start("/bin/true")).toContain("did not start");
  expect(await start("/no/such/program")).toContain("did not start");
});

describe("the real process", () => {
  test("A cancelled script ends at once, and its process with it", async () => {
    const process = await openCodeProcess({ command: findCodeCommand(), timers });
    const cancel = new AbortController();
    const ended = process.run({ ...request, source: "for (;;);" }, cancel.signal);
    cancel.abort(new Error("cancelled"));
    expect(await ended.catch(String)).toBe("Error: cancelled");
    expect(process.isAlive()).toBeFalse();
  });
});
