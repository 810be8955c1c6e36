/**
 * The extension Tasks. Protects: a call that waits is given only to clients that declared tasks, only its own user and
 * principal can follow it, it runs once, and its result is there after a restart of the hub.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { CallRuleInput } from "@hub/contract/call-rule.ts";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { setRule } from "@hub/server/services/rules/manage-rules.ts";
import { runSql } from "@hub/server/store/testing/run-sql.ts";
import { type ApiHub, type Credentials, openApiHub } from "./api/open-api-hub.ts";
import { createDataFolder } from "./support/data-folder.ts";

setDefaultTimeout(180_000);

const metaPrefix = "io.modelcontextprotocol";
const tasks = { extensions: { [`${metaPrefix}/tasks`]: {} } };
const withPages = { ...tasks, elicitation: { url: {} } };
const byCaller: CallRuleInput = { asks: "always", decide: { by: "caller" } };

let hub: ApiHub;
let caller: Awaited<ReturnType<ApiHub["addUser"]>>;
let browser: Credentials;

beforeAll(async () => {
  hub = await openApiHub();
  caller = await hub.addUser("caller@example.com", { tags: ["red"] });
  browser = await hub.openBrowser(caller.user.id);
});
afterAll(() => hub[Symbol.asyncDispose]());

async function addAskedRow(rule: CallRuleInput = byCaller): Promise<string> {
  const { id } = await hub.addRow(`Row ${crypto.randomUUID().slice(0, 8)}`, ["red"]);
  await setRule(hub.hub.services, commandLineActor, id, rule);
  return id;
}

type Sent = {
  capabilities?: object;
  headers?: Credentials;
  /** Replaces the headers that repeat the body. */
  routing?: Record<string, string>;
  url?: string;
};

/** Sends a request of the revision 2026-07-28. */
async function send(method: string, params: Record<string, unknown>, sent: Sent = {}) {
  const { capabilities = tasks, headers = caller.headers, routing, url = hub.url } = sent;
  const name = `${params.taskId ?? params.name}`;
  const response = await fetch(`${url}/mcp`, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      ...(routing ?? { "mcp-method": method, "mcp-name": name }),
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method,
      params: {
        ...params,
        _meta: {
          [`${metaPrefix}/protocolVersion`]: "2026-07-28",
          [`${metaPrefix}/clientCapabilities`]: capabilities,
        },
      },
    }),
  });
  // Answers are of every shape.
  const body = JSON.parse(await response.text());
  return { status: response.status, result: body.result, error: body.error };
}

const call = (row: string, sent?: Sent, params: object = { name: "Ada" }) =>
  send("tools/call", toCall(row, params), sent);
const toCall = (row: string, params: object) => ({
  name: "hub_execute",
  arguments: { tool_id: `conn:${row}/greet`, params },
});
const get = (taskId: string, sent?: Sent) => send("tasks/get", { taskId }, sent);
const update = (taskId: string, action: string, sent?: Sent) =>
  send("tasks/update", { taskId, inputResponses: { approval: { action } } }, sent);
const cancel = (taskId: string, sent?: Sent) => send("tasks/cancel", { taskId }, sent);

/** Makes a call that becomes a task. */
async function open(row: string, sent?: Sent, params?: object): Promise<string> {
  const { result } = await call(row, sent, params);
  expect(result.resultType).toBe("task");
  return result.taskId;
}

/** Decides on the page, as the caller in a browser. */
async function decide(id: string, decision: "approved" | "denied", comment?: string) {
  const path = `/manager/api/pending-calls/${id}`;
  const shown = await hub.request("GET", path, { headers: browser });
  const { status } = await hub.request("POST", `${path}/decision`, {
    headers: browser,
    body: { decision, hash: shown.body.hash, ...(comment !== undefined && { comment }) },
  });
  expect(status).toBe(200);
}

/** Asks as a client does, until the task has ended. */
async function follow(taskId: string, sent?: Sent) {
  for (;;) {
    const { result } = await get(taskId, sent);
    if (!["working", "input_required"].includes(result.status)) return result;
    await Bun.sleep(100);
  }
}

const readText = (result: { content: Array<{ text: string }> }) =>
  JSON.parse(result.content[0]?.text ?? "{}");

const countRuns = async (row: string) =>
  (await hub.admin.runs.list({ row, limit: 100 })).filter(({ status }) => status === "success")
    .length;

describe("a call that waits", () => {
  test("becomes a task at a client that declares tasks, and its result follows the approval, once", async () => {
    const row = await addAskedRow();
    const { result, status } = await call(row);
    const { taskId } = result;
    expect(status).toBe(200);
    expect(result).toMatchObject({
      resultType: "task",
      taskId: expect.stringMatching(/^[0-9a-f]{32}$/),
      status: "working",
      statusMessage: expect.stringContaining("/approvals/calls/"),
      createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]+Z$/),
      lastUpdatedAt: expect.any(String),
      ttlMs: expect.any(Number),
      pollIntervalMs: expect.any(Number),
    });
    expect(result).not.toHaveProperty("content");
    expect(result).not.toHaveProperty("task");
    expect((await get(taskId)).result).toMatchObject({
      resultType: "complete",
      taskId,
      status: "working",
    });
    await decide(taskId, "approved");
    const done = await follow(taskId);
    expect(done.status).toBe("completed");
    expect(done.result.structuredContent).toMatchObject({ greeting: "Hello Ada" });
    expect(readText(done.result)).toEqual(done.result.structuredContent);
    expect(done.result.isError).toBeUndefined();
    expect(await countRuns(row)).toBe(1);
    // Followed further, it stays; repeated, it answers with what there is.
    expect((await get(taskId)).result.result).toEqual(done.result);
    expect(readText((await call(row)).result)).toMatchObject({ greeting: "Hello Ada" });
  });

  test("asks a client that opens pages, once", async () => {
    const row = await addAskedRow();
    const sent = { capabilities: withPages };
    const { result } = await call(row, sent);
    expect([result.resultType, result.status]).toEqual(["task", "input_required"]);
    const { taskId } = result;
    const asking = await get(taskId, sent);
    expect(asking.result.inputRequests).toEqual({
      approval: {
        method: "elicitation/create",
        params: {
          mode: "url",
          message: expect.any(String),
          url: expect.stringContaining(`/approvals/calls/${taskId}`),
        },
      },
    });
    // The same task, of a request that declares no pages.
    expect((await get(taskId)).result).toMatchObject({ status: "working" });
    expect((await get(taskId)).result).not.toHaveProperty("inputRequests");
    const { result: taken } = await update(taskId, "accept", sent);
    expect(Object.keys(taken).toSorted()).toEqual(["_meta", "resultType"]);
    // That a page was opened decides nothing.
    const waiting = await get(taskId, sent);
    expect([waiting.result.status, waiting.result.inputRequests]).toEqual(["working", undefined]);
    await decide(taskId, "approved");
    expect((await follow(taskId, sent)).result.structuredContent).toMatchObject({
      greeting: "Hello Ada",
    });
  });

  test("is confirmed by a form only where its rule says so", async () => {
    const sent = { capabilities: { ...tasks, elicitation: { form: {} } } };
    const byPage = await open(await addAskedRow(), sent);
    await update(byPage, "accept", sent);
    expect((await get(byPage, sent)).result.status).toBe("working");
    const row = await addAskedRow({ ...byCaller, confirm: "client" });
    const byForm = await open(row, sent);
    const { result } = await get(byForm, sent);
    expect(result.inputRequests.approval.params).toMatchObject({ mode: "form" });
    // A reply that was not asked for, and one of another key, decide nothing.
    await update(byForm, "accept");
    await send(
      "tasks/update",
      { taskId: byForm, inputResponses: { other: { action: "accept" } } },
      sent,
    );
    expect((await get(byForm, sent)).result.status).toBe("input_required");
    await update(byForm, "accept", sent);
    expect((await follow(byForm, sent)).result.structuredContent).toMatchObject({
      greeting: "Hello Ada",
    });
    const denied = await open(row, sent, { name: "Ben" });
    await update(denied, "decline", sent);
    const end = await follow(denied, sent);
    expect([end.status, readText(end.result).code]).toEqual(["completed", "refused_by_rule"]);
    expect(await countRuns(row)).toBe(1);
  });

  test("that is denied ends with a result of the tool, with the comment", async () => {
    const row = await addAskedRow();
    const taskId = await open(row);
    await decide(taskId, "denied", "Not on Fridays.");
    const { status, result } = await follow(taskId);
    expect([status, result.isError]).toEqual(["completed", true]);
    expect(readText(result)).toMatchObject({
      code: "refused_by_rule",
      error: expect.stringContaining("Not on Fridays."),
      tool_id: `conn:${row}/greet`,
    });
    expect(await countRuns(row)).toBe(0);
  });

  test("that its client cancels never runs", async () => {
    const row = await addAskedRow();
    const taskId = await open(row);
    const { result } = await cancel(taskId);
    expect(Object.keys(result).toSorted()).toEqual(["_meta", "resultType"]);
    expect((await get(taskId)).result.status).toBe("cancelled");
    // Again, and of a task that has ended: taken, without effect.
    expect((await cancel(taskId)).status).toBe(200);
    const shown = await hub.request("GET", `/manager/api/pending-calls/${taskId}`, {
      headers: browser,
    });
    expect(shown.body.state).toBe("ended");
    expect(await countRuns(row)).toBe(0);
  });

  test("that was not decided in time ends with a result of the tool", async () => {
    const taskId = await open(await addAskedRow());
    await runSql(hub.store.db, `update pending_calls set expires_at = 1000 where id = '${taskId}'`);
    // Kept for a day after: long ago by this clock.
    expect((await get(taskId)).error?.code ?? (await get(taskId)).result.status).not.toBe(
      "working",
    );
    const late = await open(await addAskedRow());
    const past = Date.now() - 1000;
    await runSql(
      hub.store.db,
      `update pending_calls set expires_at = ${past} where id = '${late}'`,
    );
    const { result } = await get(late);
    expect([result.status, readText(result.result).code]).toEqual([
      "completed",
      "approval_required",
    ]);
  });

  test("whose process died fails, and is not repeated", async () => {
    const row = await addAskedRow();
    const taskId = await open(row);
    await runSql(
      hub.store.db,
      `update pending_calls set state = 'running', run_id = 'r', instance_id = 'gone' where id = '${taskId}'`,
    );
    const { status, error, result } = await follow(taskId);
    expect([status, error.code, result]).toEqual(["failed", -32603, undefined]);
    expect(error.message).toContain("whether it took effect is not known");
    expect(await countRuns(row)).toBe(0);
  });

  test("that runs is stopped when its client cancels it", async () => {
    const { id } = await hub.addRow(`Row ${crypto.randomUUID().slice(0, 8)}`, ["red"]);
    await setRule(hub.hub.services, commandLineActor, id, byCaller);
    const { result } = await send("tools/call", {
      name: "hub_execute",
      arguments: { tool_id: `conn:${id}/wait`, params: {} },
    });
    const { taskId } = result;
    await decide(taskId, "approved");
    await untilState(taskId, "running");
    expect((await get(taskId)).result.status).toBe("working");
    // A call that runs is stopped where it runs.
    await cancel(taskId);
    expect((await follow(taskId)).status).toBe("cancelled");
  });
});

async function untilState(id: string, state: string) {
  for (;;) {
    const { body } = await hub.request("GET", `/manager/api/pending-calls/${id}`, {
      headers: browser,
    });
    if (body.state === state) return;
    await Bun.sleep(50);
  }
}

/** Opens a stream of notifications, and reads its frames one by one; null at its end. */
async function listen(
  taskIds: unknown,
  { capabilities = tasks, headers = caller.headers }: Sent = {},
) {
  const response = await fetch(`${hub.url}/mcp`, {
    method: "POST",
    headers: {
      ...headers,
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      "mcp-protocol-version": "2026-07-28",
      "mcp-method": "subscriptions/listen",
    },
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: "own-id",
      method: "subscriptions/listen",
      params: {
        notifications: { taskIds },
        _meta: {
          [`${metaPrefix}/protocolVersion`]: "2026-07-28",
          [`${metaPrefix}/clientCapabilities`]: capabilities,
        },
      },
    }),
  });
  const reader = response.body?.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  return {
    status: response.status,
    // Frames are of every shape.
    async next() {
      for (;;) {
        const found = text.match(/data: (.*)\n\n/);
        if (found !== null) {
          text = text.slice((found.index ?? 0) + found[0].length);
          return JSON.parse(found[1] ?? "");
        }
        const read = await reader?.read();
        if (read === undefined || read.done) return text === "" ? null : JSON.parse(text);
        text += read.value;
      }
    },
    close: () => reader?.cancel(),
  };
}

describe("a subscription", () => {
  const meta = { [`${metaPrefix}/subscriptionId`]: "own-id" };

  test("notifies of each change of its tasks, and ends with them", async () => {
    const taskId = await open(await addAskedRow());
    const { next, status } = await listen([taskId, "0".repeat(32)]);
    expect(status).toBe(200);
    // Only what is the caller's own is accepted.
    expect(await next()).toEqual({
      jsonrpc: "2.0",
      method: "notifications/subscriptions/acknowledged",
      params: { _meta: meta, notifications: { taskIds: [taskId] } },
    });
    const first = await next();
    expect([first.method, first.params.status]).toEqual(["notifications/tasks", "working"]);
    await decide(taskId, "approved");
    let last = first;
    while (last.params.status === "working") last = await next();
    const { result } = await get(taskId);
    const { _meta: _, resultType: _type, ...whole } = result;
    expect(last.params).toEqual({ _meta: meta, ...whole });
    expect(last.params.result.structuredContent).toMatchObject({ greeting: "Hello Ada" });
    const end = await next();
    expect([end.id, end.result.resultType]).toEqual(["own-id", "complete"]);
    expect(end.result._meta).toMatchObject(meta);
    expect(await next()).toBeNull();
  });

  test("of another principal's task has nothing", async () => {
    const taskId = await open(await addAskedRow());
    const headers = await hub.addToken("caller@example.com", "mcp");
    const { next } = await listen([taskId], { headers });
    expect((await next()).params.notifications).toEqual({ taskIds: [] });
    expect((await next()).result.resultType).toBe("complete");
  });

  test("ends without a word when its caller may not use the hub any more", async () => {
    const row = await addAskedRow();
    const token = await hub.addUser(`leaving-${crypto.randomUUID()}@example.com`, {
      tags: ["red"],
    });
    const { headers } = token;
    const taskId = await open(row, { headers });
    const { next } = await listen([taskId], { headers });
    await next();
    await next();
    await hub.admin.users.disable(token.user.id);
    await runSql(hub.store.db, `update pending_calls set state = 'denied' where id = '${taskId}'`);
    const end = await next();
    expect(end.method).toBeUndefined();
    expect(end.result.resultType).toBe("complete");
  });

  test("without the declaration, or of what is no list of tasks, is refused", async () => {
    const taskId = await open(await addAskedRow());
    const undeclared = await listen([taskId], { capabilities: {} });
    expect([undeclared.status, (await undeclared.next()).error.code]).toEqual([400, -32021]);
    for (const given of ["x", [7], Array.from({ length: 101 }, (_, n) => `${n}`)]) {
      expect((await (await listen(given)).next()).error.code).toBe(-32602);
    }
  });
});

describe("rights", () => {
  test("A client that declares nothing gets no task, and no method of tasks", async () => {
    const row = await addAskedRow();
    const { result } = await call(row, { capabilities: {} });
    expect(readText(result).code).toBe("approval_required");
    const taskId = await open(row);
    expect(taskId).toBe(readText(result).pending_id);
    for (const answer of [
      await get(taskId, { capabilities: {} }),
      await update(taskId, "accept", { capabilities: {} }),
      await cancel(taskId, { capabilities: {} }),
    ]) {
      expect(answer.status).toBe(400);
      expect(answer.error).toMatchObject({
        code: -32021,
        data: { requiredCapabilities: tasks },
      });
    }
    expect((await get(taskId)).result.status).toBe("working");
  });

  test("Another user, another principal of the same user, and a guess all get the same answer", async () => {
    const taskId = await open(await addAskedRow());
    const other = await hub.addUser(`other-${crypto.randomUUID()}@example.com`, { tags: ["red"] });
    const admin = await hub.addUser(`admin-${crypto.randomUUID()}@example.com`, { admin: true });
    const strangers = [
      other.headers,
      admin.headers,
      await hub.addToken("caller@example.com", "mcp"),
      await hub.addApplicationToken(caller.user.id),
    ];
    const guess = await get("0".repeat(32));
    expect(guess.error.code).toBe(-32602);
    for (const headers of strangers) {
      expect(await get(taskId, { headers })).toEqual(guess);
      expect(await update(taskId, "accept", { headers })).toEqual(guess);
      expect(await cancel(taskId, { headers })).toEqual(guess);
    }
    expect((await get(taskId)).result.status).toBe("working");
  });

  test("A pending call that was given to no client as a task is none", async () => {
    const row = await addAskedRow();
    const { result } = await call(row, { capabilities: {} });
    expect((await get(readText(result).pending_id)).error.code).toBe(-32602);
  });

  test("A result ends with the right to its operation", async () => {
    const row = await addAskedRow();
    const taskId = await open(row);
    await decide(taskId, "approved");
    await follow(taskId);
    await hub.admin.rows.set(row, { tags: [] });
    expect((await get(taskId)).error.code).toBe(-32602);
  });

  test.each([
    ["is missing", {}],
    ["names another task", { "mcp-name": "other" }],
  ])("A request whose header Mcp-Name %s is refused", async (_what, name) => {
    const taskId = await open(await addAskedRow());
    for (const method of ["tasks/get", "tasks/update", "tasks/cancel"]) {
      const params = { taskId, inputResponses: {} };
      const answer = await send(method, params, { routing: { "mcp-method": method, ...name } });
      expect([answer.status, answer.error.code]).toEqual([400, -32020]);
    }
    expect((await get(taskId)).result.status).toBe("working");
  });

  test("The session mode has no tasks", async () => {
    const response = await fetch(`${hub.url}/mcp`, {
      method: "POST",
      headers: { ...caller.headers, "content-type": "application/json" },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method: "tasks/get", params: { taskId: "x" } }),
    });
    expect(await response.json()).toMatchObject({ error: { code: -32601 } });
  });

  test("The server declares the extension to clients of the stateless mode", async () => {
    const { result } = await send("server/discover", {});
    expect(result.capabilities.extensions).toEqual({ [`${metaPrefix}/tasks`]: {} });
  });
});

test("A task, and its result, are there on another server, and after a restart of the hub", async () => {
  await using folder = await createDataFolder();
  const env = { HUB_DATA_DIR: folder.path };
  const first = await openApiHub(env);
  const user = await first.addUser("caller@example.com", { tags: ["red"] });
  const { id } = await first.addRow("Row", ["red"]);
  await setRule(first.hub.services, commandLineActor, id, byCaller);
  const { headers } = user;
  const asked = await send("tools/call", toCall(id, { name: "Ada" }), { headers, url: first.url });
  const { taskId } = asked.result;
  await using second = await openApiHub(env);
  const onSecond = { headers, url: second.url };
  expect((await get(taskId, onSecond)).result.status).toBe("working");
  await first[Symbol.asyncDispose]();
  const [at, until] = [Date.now(), Date.now() + 60_000];
  await runSql(
    second.store.db,
    `update pending_calls set state = 'approved', decided_at = ${at}, approved_until = ${until} where id = '${taskId}'`,
  );
  const done = await follow(taskId, onSecond);
  expect(done.result.structuredContent).toMatchObject({ greeting: "Hello Ada" });
  await using third = await openApiHub(env);
  expect((await get(taskId, { headers, url: third.url })).result).toEqual(done);
});
