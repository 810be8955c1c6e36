/** What rows can do, rows can do too whose operations an outside system describes. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { serveMcp } from "@hub/server/bridges/mcp/testing/serve-mcp.ts";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { type BridgeAdmin, openBridgeAdmin } from "./support/bridges/bridge-admin.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { createDataFolder, type DataFolder } from "./support/data-folder.ts";
import { openNodePeer } from "./support/framing/peers.ts";
import { framingEnv } from "./support/framing/start-framing-hub.ts";
import { tryFraming } from "./support/framing/trial.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { queryDatabase } from "./support/query-database.ts";
import { type RunningHub, startHub, type TestUser } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const secret = "secret-of-the-row-9fK2xQ7vLm4R";
const callsPerMinute = 10;
const owned = new AsyncDisposableStack();
let folder: DataFolder;
let hub: RunningHub;
/** Another server of the same database, in a process of its own, where a user has a few calls a minute. */
let limited: RunningHub;
let admin: BridgeAdmin;
let adaUser: TestUser;
let ada: TestClient;
let bob: TestClient;
let outside: Outside;

/** An MCP server and an API with one operation, which answers what it was sent. */
type Outside = {
  mcpUrl: string;
  apiUrl: string;
  /** Sessions of the MCP server. */
  sessions: Set<string>;
  /** The calls that arrived at both. */
  sent: number;
};

beforeAll(async () => {
  folder = owned.use(await createDataFolder());
  outside = serveOutside();
  hub = owned.use(await startHub({ isHere: true, dataDir: folder.path }));
  const env = { HUB_USER_CALLS_PER_MINUTE: String(callsPerMinute) };
  limited = owned.use(await startHub({ dataDir: folder.path, hasCallLimits: true, env }));
  admin = await openBridgeAdmin(hub);
  adaUser = await hub.addUser("ada@example.com", { tags: ["team"] });
  ada = owned.use(await connectHttp(hub.url, adaUser.token));
  const bobUser = await hub.addUser("bob@example.com", { tags: ["other"] });
  bob = owned.use(await connectHttp(hub.url, bobUser.token));
});

afterAll(() => owned.disposeAsync());

const noteSchema = {
  type: "object",
  properties: { text: { type: "string", maxLength: 50 } },
  required: ["text"],
};

function serveOutside(): Outside {
  const system: Outside = { mcpUrl: "", apiUrl: "", sessions: new Set(), sent: 0 };
  const server = serveMcp({
    listTools: () => ({
      tools: [{ name: "note", description: `Notes ${secret}`, inputSchema: noteSchema }],
    }),
    callTool(_, { params, session, headers }) {
      system.sent += 1;
      system.sessions.add(session ?? "");
      const { text } = Object(params.arguments);
      const answer = { text, token: headers.get("authorization") };
      return {
        content: [{ type: "text", text: JSON.stringify(answer) }],
        isError: text === "fail",
      };
    },
  });
  owned.defer(() => server.close());
  const api = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    async fetch(request) {
      if (request.url.endsWith("/doc")) return Response.json(document);
      system.sent += 1;
      const { text } = Object(await request.json());
      const answer = { text, token: request.headers.get("authorization") };
      return Response.json(answer, { status: text === "fail" ? 422 : 200 });
    },
  });
  owned.defer(() => api.stop(true));
  return Object.assign(system, { mcpUrl: server.url, apiUrl: `http://127.0.0.1:${api.port}` });
}

const document = {
  openapi: "3.1.0",
  info: { title: "Notes", version: "1" },
  paths: {
    "/notes": {
      post: {
        operationId: "note",
        summary: `Notes ${secret}`,
        requestBody: { required: true, content: { "application/json": { schema: noteSchema } } },
        responses: { 200: { description: "Done" } },
      },
    },
  },
};

describe.each(["mcp", "openapi"] as const)("a row of %s", (connector) => {
  let row: string;
  let tool: string;

  beforeAll(async () => {
    row = await addRow("Notes");
    await admin.approve(row);
    tool = `conn:${row}/note`;
  });

  async function addRow(label: string): Promise<string> {
    const { mcpUrl, apiUrl } = outside;
    const address: Record<string, string> =
      connector === "mcp" ? { url: mcpUrl } : { document_url: `${apiUrl}/doc`, base_url: apiUrl };
    const id = await admin.addRow(
      { connector, label: `${label} of ${connector}`, tags: ["team"] },
      { ...address, auth_mode: "bearer", token: secret },
    );
    await admin.discover(id);
    return id;
  }

  const post = <T>(path: string, body: object = {}) =>
    admin.send<T>("POST", `/manager/api/rows/${row}${path}`, body);

  test("Users without its tag get the answers of a row that does not exist", async () => {
    const hidden = await bob.execute(tool, { text: "hello" });
    const absent = await bob.execute(`conn:${crypto.randomUUID()}/note`, { text: "hello" });
    const blank = (text: string) => text.replaceAll(/conn:[^"]+/g, "");
    expect(blank(hidden.text)).toBe(blank(absent.text));
    expect((await bob.call("hub_search", { query: "notes" })).text).not.toContain(row);
    expect((await ada.call("hub_search", { query: "notes" })).text).toContain(tool);
  });

  test("Its secret is a token in results, failures and descriptions, and not stored in plain text", async () => {
    const { value } = await ada.execute(tool, { text: "hello" });
    expect(value).toEqual({ text: "hello", token: expect.stringMatching(/^Bearer hub_enc_/) });
    const failed = await ada.execute(tool, { text: "fail" });
    expect(failed.isError).toBe(true);
    const { text } = await ada.call("hub_get", { tool_id: tool });
    for (const shown of [failed.text, text]) {
      expect(shown).toMatch(/Bearer|Notes/);
      expect(shown).not.toContain(secret);
    }
    for (const table of ["connector_runs", "row_operations"]) {
      const stored = JSON.stringify(queryDatabase(folder.path, `select * from ${table}`));
      expect(stored).toContain("note");
      expect(stored).not.toContain(secret);
    }
  });

  test("It can be switched off as a whole and by operation, and tests still reach a row that is off", async () => {
    const read = async () => (await ada.execute(tool, { text: "hello" })).value;
    await post("/operations/note/disable");
    expect(await read()).toMatchObject({ code: "operation_disabled" });
    await post("/operations/note/enable");
    await post("/disable");
    expect(await read()).toMatchObject({ code: "connector_disabled" });
    const tested = await post<object>("/operations/note/test", { params: { text: "tested" } });
    expect(JSON.stringify(tested)).toContain("tested");
    await post("/enable");
    expect(await read()).toMatchObject({ text: "hello" });
  });

  test("Its calls are in the history, and a user repeats an own one", async () => {
    await ada.execute(tool, { text: "for the history" });
    const list = async () =>
      (
        await admin.send<{ runs: Record<string, unknown>[] }>(
          "GET",
          `/manager/api/rows/${row}/runs`,
        )
      ).runs;
    const [last] = await list();
    expect(last).toMatchObject({ operation_key: "note", status: "success", source: "mcp" });
    const token = await hub.makeManageToken(adaUser.email);
    const retried = await fetch(`${hub.url}/manager/api/runs/${last?.id}/retry`, {
      method: "POST",
      headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
      body: "{}",
    });
    expect(await retried.text()).toContain("for the history");
    expect((await list())[0]).toMatchObject({ source: "retry", status: "success" });
  });

  test("A duplicate has its approved operations, and is off until it has a secret of its own", async () => {
    const { id } = await post<{ id: string }>("/duplicate");
    const copy = await admin.send("GET", `/manager/api/rows/${id}`);
    expect(copy).toMatchObject({
      disabled: true,
      missing: ["token"],
      operations: [{ key: "note", review: null }],
    });
    expect(
      JSON.stringify(await admin.send("GET", `/manager/api/rows/${id}/settings`)),
    ).not.toContain(secret);
    const { value } = await ada.execute(`conn:${id}/note`, { text: "hello" });
    expect(value).toMatchObject({ code: "connector_disabled" });
  });

  test("Params are checked by its schema before anything is sent", async () => {
    const { value } = await ada.execute(tool, { text: "x".repeat(51) });
    expect(value).toMatchObject({ code: "invalid_params", issues: [{ path: "text" }] });
  });

  test("Its calls count towards the limit of their user, and nothing is sent beyond it", async () => {
    const user = await hub.addUser(`cy-${connector}@example.com`, { tags: ["team"] });
    await using cy = await connectHttp(limited.url, user.token);
    const { sent } = outside;
    const calls = Array.from({ length: callsPerMinute + 5 }, () =>
      cy.execute(tool, { text: "many" }),
    );
    const codes = (await Promise.all(calls)).map(({ value }) => value.code);
    const refused = codes.filter((code) => code === "rate_limited").length;
    // On a busy machine the calls take seconds, in which the user may call again.
    expect(refused).toBeWithin(1, 6);
    expect(outside.sent - sent).toBe(calls.length - refused);
  });

  test("Another server of the same database has its operations at once, and what is switched off", async () => {
    await using there = await connectHttp(limited.url, adaUser.token);
    expect((await there.execute(tool, { text: "there" })).value).toMatchObject({ text: "there" });
    await post("/operations/note/disable");
    expect((await there.execute(tool, { text: "there" })).value).toMatchObject({
      code: "operation_disabled",
    });
    await post("/operations/note/enable");
  });
});

test("Two users never meet in one session of an MCP server", async () => {
  const row = await admin.addRow(
    { connector: "mcp", label: "Sessions", tags: ["team", "other"] },
    { url: outside.mcpUrl },
  );
  await admin.discover(row);
  await admin.approve(row);
  outside.sessions.clear();
  const call = (client: TestClient) => client.execute(`conn:${row}/note`, { text: "mine" });
  await Promise.all([call(ada), call(bob), call(ada), call(bob)]);
  expect(outside.sessions.size).toBe(2);
});

/** More of them, of a plugin too, and to more parsers, by scripts/try-framing.ts. */
nightlyTest(
  "Requests of rows and workflows, in turns over kept connections, are whole for Node and of one row each",
  async () => {
    const kinds = ["http", "openapi", "mcp", "workflow"] as const;
    await using framed = await startHub({ env: framingEnv });
    const given = { openPeer: openNodePeer, kinds, seed: 4711, count: 48, atOnce: 1 };
    const report = await tryFraming(framed, given);
    expect(report.faults).toEqual([]);
    expect(report.seen).toBeGreaterThan(48);
    expect(report.reused).toBeGreaterThan(4);
  },
);
