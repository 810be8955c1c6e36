/**
 * Protects: a bound token opens nothing but its rows and operations, by any way: names, searches, batches, scripts, workflows and
 * what they start, calls that wait, records, and the other doors of the hub.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { commandLineActor } from "@hub/server/identity/local-admin.ts";
import { createToken } from "@hub/server/services/users/manage-tokens.ts";
import { rotateToken } from "@hub/server/services/users/rotate-token.ts";
import { transaction } from "@hub/server/store/database/database.ts";
import { putRule } from "@hub/server/store/rules/call-rules-table.ts";
import { newRule } from "@hub/server/store/rules/testing/new-rule.ts";
import { actAsUser } from "@hub/server/workflows/definition/testing/act-on-workflows.ts";
import { type ApiHub, openApiHub } from "./api/open-api-hub.ts";

type Bounds = NonNullable<Parameters<typeof createToken>[3]["bounds"]>;

let hub: ApiHub;
let eve: Awaited<ReturnType<ApiHub["addUser"]>>;
let inside: string;
let outside: string;
let hubRow: string;
let workflowRow: string;

beforeAll(async () => {
  hub = await openApiHub({ HUB_WORKFLOW_HTTP: "users" });
  eve = await hub.addUser("eve@example.com", { tags: ["blue"] });
  inside = (await hub.addRow("Inside", ["blue"])).id;
  outside = (await hub.addRow("Outside", ["blue"])).id;
  const items = await hub.admin.rows.list();
  const find = (label: string) => items.find((row) => row.label === label)?.id ?? "";
  hubRow = find("Hub");
  workflowRow = find("Workflows");
});
afterAll(() => hub[Symbol.asyncDispose]());

const tool = (row: string, operation = "greet") => `conn:${row}/${operation}`;

/** A client with a new bound token. */
async function connect(bounds: Bounds) {
  const made = await createToken(hub.hub.services, commandLineActor, eve.user.id, {
    name: "b",
    bounds,
  });
  return { ...made, ...toClient(made.token) };
}

function toClient(token: string) {
  async function send(method: string, params: object, address?: string) {
    const response = await fetch(`${hub.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${token}`,
        "content-type": "application/json",
        ...(address !== undefined && { "x-forwarded-for": address }),
      },
      body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params }),
    });
    return { status: response.status, text: await response.text() };
  }
  /** The answer of a meta-tool, as text and as its value. */
  async function call(name: string, args: object) {
    const { text } = await send("tools/call", { name, arguments: args });
    // With progress before it, the answer is the last event.
    const events = text.split("\n").filter((line) => line.startsWith("data: "));
    const { result } = JSON.parse(events.at(-1)?.slice("data: ".length) ?? text);
    if (result === undefined) throw new Error(text);
    return { text, isError: result?.isError === true, value: result?.structuredContent };
  }
  const execute = (tool_id: string, params: object = {}) =>
    call("hub_execute", { tool_id, params });
  return { send, call, execute };
}

const greeting = { name: "Ada" };

describe("a token that is bound to a row", () => {
  test("It sees the row alone in the instructions, lists, searches and details", async () => {
    const client = await connect({ rows: [inside] });
    const asked = [
      await client.send("initialize", {
        protocolVersion: "2025-11-25",
        capabilities: {},
        clientInfo: { name: "t", version: "1" },
      }),
      await client.call("hub_list", {}),
      await client.call("hub_list", { row: "Outside" }),
      await client.call("hub_search", { query: "greet | invite" }),
      await client.call("hub_get", { tool_id: tool(inside) }),
    ];
    for (const { text } of asked) expect(text).not.toContain(outside);
    for (const one of [asked[0], asked[1]]) expect(one?.text).toContain("Inside");
    expect(asked[0]?.text).not.toContain("Outside");
    expect(asked[3]?.text).toContain(inside);
  });

  test("What is outside is answered as what does not exist", async () => {
    const client = await connect({ rows: [inside] });
    const missing = crypto.randomUUID();
    const normalize = (text: string) => text.replaceAll(outside, "ROW").replaceAll(missing, "ROW");
    for (const [name, args] of [
      ["hub_get", {}],
      ["hub_execute", { params: greeting }],
      ["hub_read", { params: greeting }],
    ] as const) {
      const [hidden, absent] = await Promise.all(
        [outside, missing].map((row) => client.call(name, { ...args, tool_id: tool(row) })),
      );
      expect(hidden?.isError).toBe(true);
      expect(normalize(hidden?.text ?? "")).toBe(normalize(absent?.text ?? ""));
    }
    const byName = { row: "Outside", operation: "greet", params: greeting };
    expect((await client.call("hub_execute", byName)).isError).toBe(true);
    const beginning = `${outside.slice(0, 8)}/greet`;
    expect((await client.execute(beginning, greeting)).isError).toBe(true);
    expect((await client.execute(tool(inside), greeting)).text).toContain("Hello Ada");
  });

  test("The calls of a batch and of a script are held to it", async () => {
    const client = await connect({ rows: [inside, hubRow] });
    for (const row of [hubRow, inside])
      expect((await client.call("hub_list", {})).text).toContain(row);
    const source = `
      const tried = [];
      for (const id of input) {
        try { tried.push((await call(id, { name: "Ada" })).greeting); } catch (e) { tried.push(e.code); }
      }
      return { tried, found: JSON.stringify(await search("greet invite")) };`;
    const input = [tool(inside), tool(outside)];
    const { text } = await client.execute(tool(hubRow, "run_script"), { source, input });
    expect(text).toContain("Hello Ada");
    expect(text).toContain("not_found");
    expect(text).not.toContain(outside);
  });

  test("Its records have only the calls within", async () => {
    const all = toClient(eve.token);
    await all.execute(tool(outside), greeting);
    await all.execute(tool(inside), greeting);
    const client = await connect({ rows: [inside, hubRow] });
    const { text } = await client.execute(tool(hubRow, "my_recent_calls"), { limit: 100 });
    expect(text).toContain(inside);
    expect(text).not.toContain(outside);
    expect((await all.execute(tool(hubRow, "my_recent_calls"), { limit: 100 })).text).toContain(
      outside,
    );
  });
});

test("A token that is bound to an operation has this one, and no other of its row", async () => {
  const client = await connect({ operations: [tool(inside, "invite")] });
  const { text } = await client.call("hub_list", {});
  expect(text).toContain(tool(inside, "invite"));
  expect(text).not.toContain(tool(inside, "greet"));
  const found = await client.call("hub_search", { query: "greet a person | invite members" });
  expect(found.text).toContain(tool(inside, "invite"));
  expect(found.text).not.toContain(tool(inside, "greet"));
  expect((await client.execute(tool(inside), greeting)).isError).toBe(true);
  expect((await client.execute(tool(inside, "invite"))).isError).toBe(false);
});

describe("a workflow that a bound token starts", () => {
  const callOf = (id: string, row: string) => ({
    id,
    type: "operation",
    tool_id: tool(row),
    params: greeting,
  });
  async function publish(name: string, nodes: object[], edges: object[] = []) {
    const owner = await actAsUser(hub.hub.services, eve.user.id);
    const first = Object(nodes[0]).id;
    const triggers = [{ id: "start", type: "manual", entry: first }];
    const { id } = await owner.create({ name, body: { schema: 1, triggers, nodes, edges } });
    await owner.publish(id, 1);
    return id;
  }
  const start = { wait_s: 20 };
  const runNow = (client: ReturnType<typeof toClient>, workflow_id: string) =>
    client.execute(tool(workflowRow, "workflow_run_now"), { workflow_id, ...start });

  test("Its calls, and those of the workflows that it starts, are held to the bounds", async () => {
    const client = await connect({ rows: [inside, workflowRow] });
    const within = await publish("Within", [callOf("one", inside)]);
    const beyond = await publish("Beyond", [callOf("one", outside)]);
    const nested = await publish("Nested", [
      { id: "one", type: "workflow", workflow_id: beyond, wait: true },
    ]);
    expect((await runNow(client, within)).text).toContain("succeeded");
    for (const id of [beyond, nested]) {
      const { text } = await runNow(client, id);
      expect(text).toContain("failed");
      expect(text).not.toContain("Hello Ada");
      // The same workflow works for its user.
      expect((await runNow(toClient(eve.token), id)).text).toContain("succeeded");
    }
  });

  test("It sends no requests of its own", async () => {
    const client = await connect({ rows: [inside, workflowRow] });
    const id = await publish("Sends", [
      { id: "one", type: "http", method: "GET", url: "https://example.com/" },
    ]);
    expect((await runNow(client, id)).text).toContain("bound to rows and operations");
  });

  test("Workflows are neither written nor released, and runs of others do not exist", async () => {
    const client = await connect({ rows: [inside, workflowRow] });
    const { text } = await client.call("hub_list", { row: "Workflows", limit: 100 });
    expect(text).toContain("workflow_run_now");
    for (const key of [
      "create",
      "save",
      "validate",
      "publish",
      "enable",
      "disable",
      "get",
      "runs",
    ]) {
      expect(text).not.toContain(`/workflow_${key}"`);
      const refused = await client.execute(tool(workflowRow, `workflow_${key}`), {});
      expect(refused.text).toContain("not_found");
    }
    const id = await publish("Read", [callOf("one", inside)]);
    const runOf = async (of: ReturnType<typeof toClient>) =>
      /"run_id\\?":\s*\\?"([0-9a-f-]{36})/.exec((await runNow(of, id)).text)?.[1] ?? "";
    const unbound = await runOf(toClient(eve.token));
    const own = await runOf(client);
    const read = (run_id: string) =>
      client.execute(tool(workflowRow, "workflow_run_get"), { workflow_id: id, run_id });
    expect([unbound.length, own.length]).toEqual([36, 36]);
    expect((await read(own)).text).toContain("Hello Ada");
    expect((await read(unbound)).isError).toBe(true);
    const narrower = await connect({ rows: [workflowRow] });
    const target = { workflow_id: id, run_id: own };
    expect((await narrower.execute(tool(workflowRow, "workflow_run_get"), target)).isError).toBe(
      true,
    );
    for (const more of [{ draft: true }, { dry_run: true }]) {
      const trial = { workflow_id: id, ...start, ...more };
      const { text: refused } = await client.execute(tool(workflowRow, "workflow_run_now"), trial);
      expect(refused).toContain("bound token");
    }
  });

  test("What is replayed stays within the bounds, by each who may replay it", async () => {
    const client = await connect({ rows: [inside, workflowRow] });
    const id = await publish("Again", [callOf("one", outside)]);
    const { text } = await runNow(client, id);
    const run_id = /"run_id\\?":\s*\\?"([0-9a-f-]{36})/.exec(text)?.[1] ?? "";
    const again = { workflow_id: id, run_id, ...start };
    const replay = tool(workflowRow, "workflow_replay");
    expect((await client.execute(replay, again)).text).toContain("failed");
    expect((await toClient(eve.token).execute(replay, again)).text).toContain("failed");
  });
});

test("A call that waits keeps its bounds, and answers its own token alone", async () => {
  const row = (await hub.addRow("Asked", ["blue"])).id;
  await transaction(hub.store.db, (trx) =>
    putRule(trx, newRule({ id: "rule-b", rowId: row, decide: '{"by":"tags","tags":["green"]}' })),
  );
  const { bumpRevision } = await import("@hub/server/store/settings/revision.ts");
  await transaction(hub.store.db, bumpRevision);
  const client = await connect({ rows: [row] });
  const { text } = await client.execute(tool(row), greeting);
  const id = /"pending_id\\?":\s*\\?"([0-9a-f]{32})/.exec(text)?.[1] ?? "";
  expect(id).toHaveLength(32);
  const { findPendingCall } = await import("@hub/server/store/pending/pending-calls-table.ts");
  expect((await findPendingCall(hub.store.db, id))?.origin.bounds).toEqual({ rows: [row] });
  const other = await connect({ rows: [inside] });
  expect((await other.call("hub_execute", { pending_id: id })).isError).toBe(true);
  expect((await toClient(eve.token).call("hub_execute", { pending_id: id })).isError).toBe(true);
});

test("It opens no other door, and a new one that replaces it has its bounds", async () => {
  const client = await connect({ rows: [inside] });
  const headers = { authorization: `Bearer ${client.token}` };
  for (const path of [
    "/profile/api/me",
    "/profile/api/tokens",
    "/manager/api/rows",
    "/profile/api/runs",
  ]) {
    expect((await hub.request("GET", path, { headers })).status).toBe(403);
  }
  expect((await fetch(`${hub.url}/metrics`, { headers })).status).toBe(403);
  const { services } = hub.hub;
  const wide = { name: "wide", scope: "manage", bounds: { rows: [inside] } } as const;
  await expect(createToken(services, commandLineActor, eve.user.id, wide)).rejects.toThrow("mcp");
  const rotated = await rotateToken(services, commandLineActor, client.id, { overlapHours: 0 });
  expect(rotated.bounds).toEqual({ rows: [inside] });
  expect(rotated.token).toMatch(/^hub_pbt_/);
  expect((await toClient(rotated.token).execute(tool(outside), greeting)).isError).toBe(true);
  expect((await toClient(rotated.token).execute(tool(inside), greeting)).isError).toBe(false);
  expect((await client.send("ping", {})).status).toBe(401);
});

test("It is known at its addresses alone, and a header of the client names none", async () => {
  const far = await connect({ addresses: ["203.0.113.0/24"] });
  expect((await far.send("ping", {})).status).toBe(401);
  expect((await far.send("ping", {}, "203.0.113.7")).status).toBe(401);
  const near = await connect({ addresses: ["127.0.0.0/8", "::1"] });
  expect((await near.send("ping", {})).status).toBe(200);
  // Without rows and operations, it has all that its user may call but the writing of workflows.
  expect((await near.execute(tool(outside), greeting)).isError).toBe(false);
  expect((await near.execute(tool(workflowRow, "workflow_create"), {})).text).toContain(
    "not_found",
  );
});

test("It expires, at the latest when the hub's setting says", async () => {
  const { services } = hub.hub;
  const make = (expiresInDays?: number) =>
    createToken(services, commandLineActor, eve.user.id, {
      name: "days",
      bounds: { rows: [inside] },
      ...(expiresInDays !== undefined && { expiresInDays }),
    });
  const days = (made: { expires_at: string | null; created_at: string }) =>
    Math.round((Date.parse(made.expires_at ?? "") - Date.parse(made.created_at)) / 86_400_000);
  expect([days(await make()), days(await make(7))]).toEqual([365, 7]);
  await expect(make(366)).rejects.toThrow("HUB_BOUND_TOKEN_DAYS_MAX");
});
