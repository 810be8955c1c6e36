/**
 * Questions of outside systems to clients of 2026-07-28, over two servers of one hub. Protects: a question and its answer are
 * of one user and principal, an answer counts once, and an approved call runs once.
 */
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import type { Elicitation } from "../../connectors/elicitation.ts";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { noMetrics } from "../../lib/metrics/metrics.ts";
import { createManualTimers } from "../../lib/time/manual-timers.ts";
import { openTestOperations, toTestCall } from "../../operations/testing/open-test-operations.ts";
import { transaction } from "../../store/database/database.ts";
import { putPendingDecision } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { putRule } from "../../store/rules/call-rules-table.ts";
import { newRule } from "../../store/rules/testing/new-rule.ts";
import { createMcp, type Mcp } from "../mcp.ts";
import { metaKeys, tasksExtension } from "../modes/protocol-versions.ts";
import { postStateless } from "../testing/post-message.ts";
import { nextTurn, until } from "../testing/until.ts";
import { createMetaTools } from "../tools/meta-tools.ts";

const definition = defineConnector({
  key: "asker",
  name: "Asker",
  icon: "mail",
  tier: "builtin",
  description: "Asks before it answers.",
  config: { Place: wick("default=home") },
  operations: {
    within: { description: "Asks within its call.", run: () => null },
    later: { description: "Takes long, and asks by its answer if it can.", run: () => null },
    before: { description: "Asks by its answer.", run: () => null },
  },
});

/** The connector of the test operations, which is there in any case. */
const unused = defineConnector({
  key: "unused",
  name: "Unused",
  icon: "mail",
  tier: "builtin",
  description: "Does nothing.",
  config: { Place: wick("default=home") },
  operations: { look: { description: "Looks.", run: () => null } },
});

const form = {
  message: "Who?",
  requestedSchema: { type: "object", properties: { name: { type: "string" } } },
};
const ada = { action: "accept", content: { name: "Ada" } };

/** How often a call of `before` came to its end. */
let ended = 0;
/** Lets calls of `later` go on. */
const held: (() => void)[] = [];
/** How many forms a call of `within` asks. */
let forms = 1;

async function invoke(operation: string, elicit: Elicitation | undefined): Promise<unknown> {
  if (operation === "within") {
    const answers: unknown[] = [];
    for (let n = 0; n < forms; n += 1) answers.push(await elicit?.ask?.(form));
    return { answers };
  }
  const { relay } = elicit ?? {};
  if (operation === "later") {
    await new Promise<void>((resolve) => held.push(resolve));
    if (relay?.isOpen()) return relay.end(new Map([["q", form]]), null);
    return { answers: [await elicit?.ask?.(form)] };
  }
  if (relay?.answered == null) return relay?.end(new Map([["q", form]]), { step: 1 });
  ended += 1;
  return relay.answered;
}

const buildInfo = { hub_version: "1", server_build_time: "", server_commit: "" };
const principalOf = (id: string) =>
  toTestCall(["team"], { caller: { principal: { kind: "token", id } } }).caller;
const caller = principalOf("token-1");

type Hub = Awaited<ReturnType<typeof openTestOperations>>;
let hub: Hub;
let other: Hub;
const failures: unknown[] = [];
let rowId: string;
let timers: ReturnType<typeof createManualTimers>;
let servers: [Mcp, Mcp];

async function openHub(shared: Pick<Hub, "store" | "ring"> | null): Promise<Hub> {
  const options = shared && { store: shared.store, ring: shared.ring, instanceId: "other" };
  const opened = await openTestOperations(unused, { ...options, baseUrl: "https://hub.example" });
  const local = createLocalConnector(definition, () => ({}));
  opened.registry.register({
    ...local,
    invoke: ({ operation, elicit }) => invoke(operation, elicit),
  });
  return opened;
}

beforeAll(async () => {
  hub = await openHub(null);
  other = await openHub(hub);
});
afterAll(async () => {
  await other.close();
  await hub.close();
});
beforeEach(async () => {
  rowId = await hub.addRow({ connectorKey: "asker", tags: ["team"] });
  ended = 0;
  forms = 1;
  timers = createManualTimers();
  const open = ({ operations, ring }: Hub) =>
    createMcp({
      metrics: noMetrics,
      operations,
      ring,
      tools: createMetaTools({ operations, buildInfo, baseUrl: "https://hub.example" }),
      buildInfo,
      sessionIdPolicy: "adopt",
      timers,
      log: { error: (...parts: unknown[]) => failures.push(parts), warn: () => {} },
    });
  servers = [open(hub), open(other)];
});
afterEach(async () => {
  for (const server of servers) await server.close();
  expect(failures).toEqual([]);
});

type Sent = { to?: 0 | 1; by?: typeof caller; tasks?: boolean };

async function send(method: string, params: Record<string, unknown>, sent: Sent = {}) {
  const { to = 0, by = caller, tasks = true } = sent;
  const capabilities = {
    elicitation: { form: {} },
    ...(tasks && { extensions: { [tasksExtension]: {} } }),
  };
  const response = await postStateless(servers[to], method, params, {
    caller: by,
    headers: {
      accept: "application/json",
      ...(typeof params.taskId === "string" && { "Mcp-Name": params.taskId }),
    },
    meta: { [metaKeys.clientCapabilities]: capabilities },
  });
  // Answers are of every shape.
  return (await response.json()) as Record<string, Record<string, unknown>>;
}

const toCall = (operation: string) => ({
  name: "hub_execute",
  arguments: { tool_id: `conn:${rowId}/${operation}`, params: {} },
});
const ask = async (method: string, params: Record<string, unknown>, sent?: Sent) =>
  (await send(method, params, sent)).result ?? {};
const update = (taskId: unknown, inputResponses: object, sent?: Sent) =>
  send("tasks/update", { taskId, inputResponses }, sent);

/** Asks, and lets the time go on, until the task has another status than these. */
async function follow(taskId: unknown, ...statuses: unknown[]) {
  for (;;) {
    timers.advance(1000);
    await nextTurn();
    const task = await ask("tasks/get", { taskId });
    if (!statuses.includes(task.status)) return task;
  }
}

test("A call that asks within itself is a task that asks, and another server takes the answer", async () => {
  const created = await ask("tools/call", toCall("within"));
  expect(created).toMatchObject({ resultType: "task", status: "input_required" });
  const { taskId } = created;
  const asking = await ask("tasks/get", { taskId }, { to: 1 });
  expect(asking).toMatchObject({
    status: "input_required",
    inputRequests: { "question-1": { method: "elicitation/create", params: { mode: "form" } } },
  });
  await update(taskId, { unknown: ada }, { to: 1 });
  expect(await ask("tasks/get", { taskId })).toMatchObject({ status: "input_required" });
  await update(taskId, { "question-1": ada }, { to: 1 });
  await update(taskId, { "question-1": { action: "decline" } });
  expect(await follow(taskId, "working", "input_required")).toMatchObject({
    status: "completed",
    result: { structuredContent: { answers: [ada] } },
  });
});

test("A call that has become a task asks within itself, also where it would ask by its answer", async () => {
  const answer = ask("tools/call", toCall("later"));
  await until(() => held.length > 0);
  timers.advance(30_000);
  const { taskId, status } = await answer;
  expect(status).toBe("working");
  for (const release of held.splice(0)) release();
  expect(await follow(taskId, "working")).toMatchObject({ status: "input_required" });
  await update(taskId, { "question-1": ada });
  expect(await follow(taskId, "working", "input_required")).toMatchObject({
    result: { structuredContent: { answers: [ada] } },
  });
});

test("Each question of a task has a key of its own, and its answer", async () => {
  forms = 2;
  const { taskId } = await ask("tools/call", toCall("within"));
  await update(taskId, { "question-1": ada });
  const stamp = await hub.operations.tasks.listStamps([String(taskId)]);
  const second = await follow(taskId, "working");
  expect(Object.keys(second.inputRequests ?? {})).toEqual(["question-2"]);
  expect(await hub.operations.tasks.listStamps([String(taskId)])).not.toEqual(stamp);
  await update(taskId, { "question-2": { action: "decline" } });
  expect(await follow(taskId, "working", "input_required")).toMatchObject({
    result: { structuredContent: { answers: [ada, { action: "decline" }] } },
  });
});

test("Another principal of the same user neither reads nor answers what a task asks", async () => {
  const { taskId } = await ask("tools/call", toCall("within"));
  const by = principalOf("token-2");
  expect(await send("tasks/get", { taskId }, { by })).toMatchObject({ error: { code: -32602 } });
  await update(taskId, { "question-1": ada }, { by });
  expect(await ask("tasks/get", { taskId })).toMatchObject({ status: "input_required" });
});

test("A question that is not answered in five minutes is closed, and the call goes on", async () => {
  const { taskId } = await ask("tools/call", toCall("within"));
  timers.advance(5 * 60_000);
  expect(await follow(taskId, "working", "input_required")).toMatchObject({
    result: { structuredContent: { answers: [{ action: "cancel" }] } },
  });
});

test("What is asked and answered is stored sealed", async () => {
  const { taskId } = await ask("tools/call", toCall("within"));
  const find = async () => (await findPendingCall(hub.store.db, String(taskId)))?.result ?? null;
  const asked = Buffer.from((await find()) ?? []);
  await update(taskId, { "question-1": ada });
  const answered = Buffer.from((await find()) ?? []);
  expect([asked.includes("Who?"), answered.includes("Ada")]).toEqual([false, false]);
  expect([asked.length > 0, answered.equals(asked)]).toEqual([true, false]);
  await follow(taskId, "working", "input_required");
});

test("A call that asks by its answer goes on with the answers on another server, with tasks or without", async () => {
  for (const tasks of [true, false]) {
    const asked = await ask("tools/call", toCall("before"), { tasks });
    expect(asked).toMatchObject({
      resultType: "input_required",
      inputRequests: { q: { method: "elicitation/create" } },
    });
    const repeat = {
      ...toCall("before"),
      requestState: asked.requestState,
      inputResponses: { q: ada },
    };
    expect(await ask("tools/call", repeat, { to: 1, tasks })).toMatchObject({
      resultType: "complete",
      structuredContent: { responses: { q: ada }, kept: { step: 1 } },
    });
  }
  expect((await hub.listRuns(4)).map(({ status }) => status).toSorted()).toEqual([
    "denied",
    "denied",
    "success",
    "success",
  ]);
});

test("An approved call that ends in a question uses its approval when it goes on, and once", async () => {
  const rule = newRule({ id: crypto.randomUUID(), rowId });
  await transaction(hub.store.db, (trx) => putRule(trx, rule));
  const sent = { tasks: false };
  const first = await ask("tools/call", toCall("before"), sent);
  const [, id = ""] = /pending_id\W+(\w{32})/.exec(JSON.stringify(first)) ?? [];
  const at = Date.now();
  const lasting = { approvedUntil: at + 900_000, keepUntil: at + 900_000 };
  const who = { by: "ada", byEmail: "ada@example.com", via: "page", comment: null };
  await putPendingDecision(hub.store.db, { id, state: "approved", at, ...who, ...lasting });
  const { requestState } = await ask("tools/call", toCall("before"), sent);
  expect(await findPendingCall(hub.store.db, id)).toMatchObject({ state: "approved", runId: null });
  const repeat = { ...toCall("before"), requestState, inputResponses: { q: ada } };
  const answers = await Promise.all([
    ask("tools/call", repeat, sent),
    ask("tools/call", repeat, { ...sent, to: 1 }),
  ]);
  expect(answers.some(({ isError }) => isError !== true)).toBe(true);
  await ask("tools/call", repeat, sent);
  expect(ended).toBe(1);
});
