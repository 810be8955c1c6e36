/** A stream of tasks. Protects: a client that does not read its stream holds no more than a few frames in memory. */
import { expect, test } from "bun:test";
import type { Caller } from "../../caller.ts";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import type { PendingTask } from "../../operations/ports.ts";
import { toTestCall } from "../../operations/testing/open-test-operations.ts";
import { readStatelessClient } from "../modes/client-told.ts";
import { metaKeys, tasksExtension } from "../modes/protocol-versions.ts";
import { ada, openTestMcp } from "../testing/open-test-mcp.ts";
import { request } from "../testing/post-message.ts";
import { nextTurn, until } from "../testing/until.ts";
import { listenToTasks } from "./listen-to-tasks.ts";
import { createTaskWatch } from "./watch-tasks.ts";

const declared = { [metaKeys.clientCapabilities]: { extensions: { [tasksExtension]: {} } } };
const client = readStatelessClient(declared);

const toTask = (id: string) => ({
  id,
  toolId: "conn:row/grind",
  createdAt: 0,
  updatedAt: 0,
  keptUntil: 1,
});

/** A stream of four tasks that have ended or run. */
function open(state: PendingTask["state"], findCaller?: () => Promise<Caller | null>) {
  const timers = createManualTimers();
  const find = async (_ctx: unknown, id: string) => ({ ...toTask(id), state });
  const listStamps = async (ids: readonly string[]) => new Map(ids.map((id) => [id, "1"]));
  const found: string[] = [];
  const tasks = {
    find(ctx: unknown, id: string) {
      found.push(id);
      return find(ctx, id);
    },
    listOwn: async (_ctx: unknown, ids: readonly string[]) => [...ids],
    listStamps,
  };
  const sent: string[] = [];
  const reads: Array<() => void> = [];
  const ended = new AbortController();
  const stream = {
    requestId: 1,
    send: (frame: string) => void sent.push(frame),
    waitForReader: () => new Promise<void>((resolve) => reads.push(resolve)),
    ended: ended.signal,
  };
  const deps = {
    tasks,
    watch: createTaskWatch({ tasks, timers }),
    inFlight: { isFull: () => false },
    streams: new Map<string, number>(),
    timers,
  };
  const ctx = { ...toTestCall(["team"]), client, ...(findCaller && { findCaller }) };
  const params = { notifications: { taskIds: ["a", "b", "c", "d"] } };
  const answer = listenToTasks(deps, ctx, params, stream);
  return { answer, timers, sent, reads, ended, found, streams: deps.streams };
}

test("A stream ends when its client sends nothing more, and leaves no timer", async () => {
  const { answer, timers, sent, ended } = open({ kind: "running" });
  await until(() => sent.length === 1);
  ended.abort();
  expect(await answer).toMatchObject({ resultType: "complete" });
  timers.advance(1000);
  await nextTurn();
  expect([timers.pending(), sent.length]).toEqual([0, 1]);
});

test("The stream of a user who may not use the hub any more ends, though no task changes and nothing is read", async () => {
  let isActive = true;
  const findCaller = async () => {
    if (timers.now() === 30_000) throw new Error("The database does not answer");
    return isActive ? ada : null;
  };
  const { answer, timers, sent, streams } = open({ kind: "running" }, findCaller);
  await until(() => sent.length === 1);
  for (const active of [true, true, false]) {
    isActive = active;
    timers.advance(30_000);
    for (let turn = 0; turn < 5; turn += 1) await nextTurn();
    expect(streams.size).toBe(active ? 1 : 0);
  }
  expect(await answer).toMatchObject({ resultType: "complete" });
  timers.advance(1000);
  await nextTurn();
  expect([timers.pending(), sent.length]).toEqual([0, 1]);
});

test("The end of the input ends the streams of a client over stdio", async () => {
  const { mcp } = openTestMcp({
    tasks: {
      find: async (_ctx, id) => ({ ...toTask(id), state: { kind: "running" } }),
      listOwn: async (_ctx, ids) => [...ids],
      listStamps: async () => new Map(),
    },
  });
  const line = request("subscriptions/listen", {
    notifications: { taskIds: ["a"] },
    _meta: { [metaKeys.protocolVersion]: "2026-07-28", ...declared },
  });
  const written: string[] = [];
  await mcp.serveStdio({
    input: new Blob([`${JSON.stringify(line)}\n`]).stream(),
    output: new WritableStream({
      write: (chunk) => void written.push(new TextDecoder().decode(chunk)),
    }),
    findCaller: async () => ada,
  });
  const frames = written
    .join("")
    .trim()
    .split("\n")
    .map((text) => JSON.parse(text));
  expect(frames.map(({ method, result }) => method ?? result.resultType)).toEqual([
    "notifications/subscriptions/acknowledged",
    "complete",
  ]);
});

test("A task is told when the client has read what was told before", async () => {
  const { answer, timers, sent, reads, found, streams } = open({ kind: "done", text: "{}" });
  await until(() => sent.length === 1);
  timers.advance(1000);
  // The acknowledgement is not read yet.
  for (let turn = 0; turn < 5; turn += 1) await nextTurn();
  expect(sent).toHaveLength(1);
  // No result is read before its frame can be written.
  expect(found).toEqual([]);
  for (const count of [2, 3, 4, 5]) {
    await until(() => reads.length > 0);
    reads.shift()?.();
    await until(() => sent.length === count);
  }
  expect(await answer).toMatchObject({ resultType: "complete" });
  expect(streams.size).toBe(0);
});
