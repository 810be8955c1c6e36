/**
 * Calls that take long and go on as tasks. Protects: such a call runs once, its result is stored for its own principal
 * alone, and a client that did not declare tasks waits as before.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { noMetrics } from "../../lib/metrics/metrics.ts";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { openTestOperations, toTestCall } from "../../operations/testing/open-test-operations.ts";
import { markUnknownCalls } from "../../store/pending/end-pending-calls.ts";
import { createMcp, type Mcp } from "../mcp.ts";
import { metaKeys, tasksExtension } from "../modes/protocol-versions.ts";
import { postStateless } from "../testing/post-message.ts";
import { nextTurn, until } from "../testing/until.ts";
import { createMetaTools } from "../tools/meta-tools.ts";

type Held = { signal: AbortSignal; end(text: string): void; fail(message: string): void };
const held: Held[] = [];
const failures: unknown[] = [];

const connector = defineConnector({
  key: "mill",
  name: "Mill",
  icon: "mail",
  tier: "builtin",
  description: "Grinds.",
  config: { Place: wick("default=home") },
  operations: {
    grind: {
      description: "Grinds for a long time.",
      run: ({ signal }) =>
        new Promise((resolve, reject) => {
          signal.addEventListener("abort", () => reject(signal.reason), { once: true });
          const end = (flour: string) => resolve({ flour });
          held.push({ signal, end, fail: (message) => reject(new Error(message)) });
        }),
    },
  },
});

const slowMs = 30_000;
const buildInfo = { hub_version: "1", server_build_time: "", server_commit: "" };
const principalOf = (id: string) =>
  toTestCall(["team"], { caller: { principal: { kind: "token", id } } }).caller;
const caller = principalOf("token-1");

let hub: Awaited<ReturnType<typeof openTestOperations>>;
let rowId: string;
let timers: ReturnType<typeof createManualTimers>;
let mcp: Mcp;

beforeAll(async () => {
  hub = await openTestOperations(connector);
  rowId = await hub.addRow({ tags: ["team"] });
});
afterAll(() => hub.close());
beforeEach(() => {
  held.length = 0;
  timers = createManualTimers();
  mcp = open(hub.operations);
});
afterEach(async () => {
  await mcp.close();
  expect(failures).toEqual([]);
});

/** One of several servers, so that a session keeps the id that its client sends. */
function open(operations: typeof hub.operations): Mcp {
  return createMcp({
    metrics: noMetrics,
    operations,
    ring: hub.ring,
    tools: createMetaTools({ operations, buildInfo, baseUrl: "https://hub.example" }),
    buildInfo,
    sessionIdPolicy: "adopt",
    cancelElsewhere: () => {},
    timers,
    log: { error: (...parts: unknown[]) => failures.push(parts), warn: () => {} },
  });
}

type Sent = { tasks?: boolean; by?: typeof caller; signal?: AbortSignal };

function send(method: string, params: Record<string, unknown>, sent: Sent = {}) {
  const { tasks = true, by = caller, signal } = sent;
  const capabilities = tasks ? { extensions: { [tasksExtension]: {} } } : {};
  return postStateless(mcp, method, params, {
    caller: by,
    ...(signal && { signal }),
    headers: {
      accept: "application/json",
      ...(typeof params.taskId === "string" && { "Mcp-Name": params.taskId }),
    },
    meta: { [metaKeys.clientCapabilities]: capabilities },
    // Answers are of every shape.
  }).then((response) => response.json() as Promise<Record<string, Record<string, unknown>>>);
}

const call = (sent?: Sent) => {
  const args = { tool_id: `conn:${rowId}/grind`, params: {} };
  return send("tools/call", { name: "hub_execute", arguments: args }, sent);
};
const get = async (taskId: unknown, by = caller) =>
  (await send("tasks/get", { taskId }, { by })).result;

/** A call that runs for so long that it becomes a task. */
async function openSlow(sent?: Sent) {
  const before = held.length;
  const answer = call(sent);
  await until(() => held.length > before);
  timers.advance(slowMs);
  return (await answer).result ?? {};
}

/** Asks until the task has ended. */
async function follow(taskId: unknown) {
  for (;;) {
    // In a turn of its own, so that the call goes on.
    await nextTurn();
    const task = await get(taskId);
    if (task?.status !== "working") return task;
  }
}

test("A call that takes long becomes a task, and its result is that of the task", async () => {
  const task = await openSlow();
  expect(task).toMatchObject({ resultType: "task", status: "working" });
  expect(await get(task.taskId)).toMatchObject({ resultType: "complete", status: "working" });
  held[0]?.end("white");
  expect(await follow(task.taskId)).toMatchObject({
    status: "completed",
    result: { resultType: "complete", structuredContent: { flour: "white" } },
  });
  expect(held).toHaveLength(1);
});

test("A call that ends in time is answered as ever, and so is one of a client that declares nothing", async () => {
  const quick = call();
  await until(() => held.length === 1);
  held[0]?.end("white");
  expect((await quick).result).toMatchObject({
    resultType: "complete",
    structuredContent: { flour: "white" },
  });
  const waiting = call({ tasks: false });
  await until(() => held.length === 2);
  timers.advance(10 * slowMs);
  held[1]?.end("brown");
  expect((await waiting).result).toMatchObject({ structuredContent: { flour: "brown" } });
});

test("The end of the connection cancels a call, but not one that is a task", async () => {
  const connection = new AbortController();
  const { taskId } = await openSlow({ signal: connection.signal });
  connection.abort();
  expect(held[0]?.signal.aborted).toBe(false);
  held[0]?.end("white");
  expect(await follow(taskId)).toMatchObject({ status: "completed" });
  const early = new AbortController();
  const answer = call({ signal: early.signal });
  await until(() => held.length === 2);
  early.abort();
  await answer;
  expect(held[1]?.signal.aborted).toBe(true);
});

test("A failure of the call is a result of the tool", async () => {
  const { taskId } = await openSlow();
  held[0]?.fail("The millstone broke.");
  const task = await follow(taskId);
  expect(task).toMatchObject({
    status: "completed",
    result: { resultType: "complete", isError: true },
  });
  expect(task).not.toHaveProperty("error");
});

test("A task that is cancelled stops its call", async () => {
  const { taskId } = await openSlow();
  expect((await send("tasks/cancel", { taskId })).result).toMatchObject({ resultType: "complete" });
  expect(held[0]?.signal.aborted).toBe(true);
  expect(await follow(taskId)).toMatchObject({ status: "cancelled" });
});

test("A hub that stops cancels the call, and stores that", async () => {
  const { taskId } = await openSlow();
  await mcp.close();
  expect(held[0]?.signal.aborted).toBe(true);
  expect((await get(taskId))?.status).not.toBe("working");
});

test("A call whose process died is a task that failed, and is not made again", async () => {
  const { taskId } = await openSlow();
  // The test's instance is not registered, like that of a process that died.
  await markUnknownCalls(hub.store.db, Date.now());
  expect(await get(taskId)).toMatchObject({ status: "failed", error: { code: -32603 } });
  held[0]?.end("late");
  expect(held).toHaveLength(1);
});

test("Another principal of the same user has no such task", async () => {
  const { taskId } = await openSlow();
  const { error } = await send("tasks/get", { taskId }, { by: principalOf("token-2") });
  expect(error).toMatchObject({ code: -32602 });
  held[0]?.end("white");
});

test("The end of a session ends no task, whatever the id of the session", async () => {
  const { taskId } = await openSlow();
  for (const id of ["task", `${taskId}`, "running", "running task"]) {
    const headers = new Headers({ "mcp-session-id": id });
    try {
      mcp.endSession({ headers, caller: principalOf("token-2") });
    } catch (thrown) {
      expect(thrown).toMatchObject({ code: "session_unknown" });
    }
  }
  expect(held[0]?.signal.aborted).toBe(false);
  held[0]?.end("white");
  expect(await follow(taskId)).toMatchObject({ status: "completed" });
});

test("A call that cannot become a task, because the database fails, is answered when it ends", async () => {
  await mcp.close();
  const { tasks } = hub.operations;
  const follow = () => Promise.reject(new Error("The database does not answer"));
  mcp = open({ ...hub.operations, tasks: { ...tasks, follow } });
  const answer = call();
  await until(() => held.length === 1);
  timers.advance(slowMs);
  await until(() => failures.length > 0);
  held[0]?.end("white");
  expect((await answer).result).toMatchObject({ structuredContent: { flour: "white" } });
  expect(failures.splice(0)).toHaveLength(1);
});

test("At most twenty calls of a user run as tasks: the next client waits", async () => {
  for (let n = 0; n < 20; n += 1) expect((await openSlow()).resultType).toBe("task");
  const waiting = call();
  await until(() => held.length === 21);
  timers.advance(slowMs);
  held[20]?.end("white");
  expect((await waiting).result).toMatchObject({ structuredContent: { flour: "white" } });
});
