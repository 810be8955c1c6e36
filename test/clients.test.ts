/** Official MCP clients, over HTTP with a token, and over stdio with the hub as a child process. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { readAudit } from "./support/audit.ts";
import * as sdk1 from "./support/connect-sdk-1.ts";
import * as sdk2 from "./support/connect-sdk-2.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/fixture-hub.ts");
const secret = "row-secret-9fK2xQ7vLm4R";
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let rowId: string;

beforeAll(async () => {
  hub = owned.use(await startHub({ isHere: true, main }));
  const added = await hub.tryCli(
    ["row", "add", "fixture", "--label", "Laboratory", "--secret-env", "secret=SECRET", "--json"],
    { env: { SECRET: secret } },
  );
  rowId = added.json<{ id: string }>().id;
});

afterAll(() => owned.disposeAsync());

const clients: Array<[string, () => Promise<TestClient>]> = [
  ["@modelcontextprotocol/sdk 1.32 over HTTP", () => sdk1.connectHttp(hub.url, hub.adminToken())],
  [
    "@modelcontextprotocol/sdk 1.32 over stdio",
    () => sdk1.connectStdio({ dataDir: hub.dataDir, main }),
  ],
  ["@modelcontextprotocol/client 2.4 over HTTP", () => sdk2.connectHttp(hub.url, hub.adminToken())],
  [
    "@modelcontextprotocol/client 2.4 over stdio",
    () => sdk2.connectStdio({ dataDir: hub.dataDir, main }),
  ],
  [
    "@modelcontextprotocol/client 2.4 over HTTP, session mode",
    () => sdk2.connectHttp(hub.url, hub.adminToken(), "legacy"),
  ],
  [
    "@modelcontextprotocol/client 2.4 over stdio, session mode",
    () => sdk2.connectStdio({ dataDir: hub.dataDir, main }, "legacy"),
  ],
];

describe.each(clients)("%s", (name, connect) => {
  let client: TestClient;
  const ownedHere = new AsyncDisposableStack();

  beforeAll(async () => {
    client = ownedHere.use(await connect());
  });

  afterAll(() => ownedHere.disposeAsync());

  test("The client lists the meta-tools with descriptions and annotations", async () => {
    const tools = await client.listTools();
    const names = tools.map((tool) => tool.name);
    expect(names.toSorted()).toEqual([
      "hub_decrypt",
      "hub_encrypt",
      "hub_execute",
      "hub_get",
      "hub_info",
      "hub_list",
      "hub_read",
      "hub_search",
    ]);
    for (const { name, description, annotations } of tools) {
      expect(description).not.toBeEmpty();
      const expected = name === "hub_execute" ? { destructiveHint: true } : { readOnlyHint: true };
      expect(annotations).toMatchObject(expected);
    }
  });

  test("hub_list returns the operations without schemas", async () => {
    const { value } = await client.call("hub_list");
    expect(value.total).toBe(value.tools.length);
    expect(value.tools).toContainEqual({
      tool_id: `conn:${rowId}/greet`,
      connector: "Fixture",
      label: "Laboratory",
      name: "greet",
      description: "Greets a person by name.",
      destructive: false,
    });
    const findTool = (name: string) =>
      value.tools.find((tool: { tool_id: string }) => tool.tool_id === `conn:${rowId}/${name}`);
    expect(findTool("destroy")).toMatchObject({
      destructive: true,
      description: expect.stringContaining("onfirm"),
    });
    expect(findTool("maintain")).toBeUndefined();
  });

  test("The client can search for a tool, get it and execute it", async () => {
    const { value: found } = await client.call("hub_search", { query: "GREETS a person" });
    expect(found).toMatchObject({ query: "GREETS a person" });
    const [best] = found.tools;
    expect(best.tool_id).toBe(`conn:${rowId}/greet`);

    const { value: detail } = await client.call("hub_get", { tool_id: best.tool_id });
    expect(detail.description).toContain("A second paragraph");
    expect(detail.input_schema).toMatchObject({ type: "object", required: ["name"] });
    expect(best.signature).toStartWith("(name: string");
    const whole = await client.call("hub_search", { query: "GREETS a person", schemas: true });
    expect(whole.value.tools[0].input_schema).toEqual(detail.input_schema);

    const answer = await client.execute(best.tool_id, { name: "Ada", times: 2 });
    expect(answer).toMatchObject({
      isError: false,
      value: { greeting: "Hello Ada", times: 2 },
      structured: { greeting: "Hello Ada", times: 2 },
    });
  });

  test("A failed call returns an error code, and the connection stays usable", async () => {
    const answer = await client.execute(`conn:${rowId}/greet`, {});
    expect(answer).toMatchObject({ isError: true, value: { code: "invalid_params" } });
    expect((await client.call("hub_info")).isError).toBeFalse();
  });

  test("The client gets the progress of an operation with masked messages", async () => {
    const reports: Array<{ progress: number; total?: number; message?: string }> = [];
    const answer = await client.execute(
      `conn:${rowId}/count`,
      {},
      { onprogress: (report) => reports.push(report) },
    );
    expect(answer.value).toEqual({ counted: 3 });
    const seen = reports.map(({ progress, total }) => [progress, total]);
    const sent = [1, 2, 3].map((progress) => [progress, 3]);
    // Over stdio, the SDKs drop progress that they read together with the answer: they handle the answer
    // at once, and progress one turn later. mcp/stdio/stdio.test.ts tests that every frame is sent.
    const arrived = new Set(reports.map(({ progress }) => progress));
    const expected = name.includes("stdio") ? sent.filter(([at = 0]) => arrived.has(at)) : sent;
    expect(seen).toEqual(expected);
    for (const { progress, message } of reports) {
      expect(message).toMatch(new RegExp(`^step ${progress} with hub_enc_[\\w-]+$`));
    }
  });

  test("An integer above 2^53 keeps its digits in the text of the answer", async () => {
    const answer = await client.execute(`conn:${rowId}/big_number`, { value: "9007199254740993" });
    expect(answer.text).toBe('{"value":9007199254740993}');
  });
});

test("Every call of the official clients is recorded", async () => {
  await using client = await sdk1.connectHttp(hub.url, hub.adminToken());
  const before = readAudit(hub.dataDir).length;
  await client.call("hub_list");
  await client.call("hub_info");
  await client.execute(`conn:${rowId}/greet`, { name: "Ada" });
  const rows = readAudit(hub.dataDir).slice(before);
  expect(rows).toMatchObject([
    { operation_key: "hub_list", connector_id: null, status: "success", source: "mcp" },
    { operation_key: "hub_info", connector_id: null, status: "success", source: "mcp" },
    {
      operation_key: "greet",
      connector_id: rowId,
      row_label: "Laboratory",
      status: "success",
      request: '{"name":"Ada"}',
      response: '{"greeting":"Hello Ada","times":1}',
    },
  ]);
});
