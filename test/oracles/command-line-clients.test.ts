/** Command-line clients connect by token over HTTP, find and run tools, and report failures. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { someOf } from "../../packages/server/src/lib/testing/amount.ts";
import { createDataFolder, type DataFolder } from "../support/data-folder.ts";
import { type RunningHub, startHub } from "../support/start-hub.ts";
import { createInspector } from "./support/inspector.ts";
import { createMcporter } from "./support/mcporter.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let home: DataFolder;
let hub: RunningHub;

beforeAll(async () => {
  home = owned.use(await createDataFolder());
  hub = owned.use(await startHub());
});

afterAll(() => owned.disposeAsync());

const clients: Array<[string, typeof createInspector | typeof createMcporter]> = [
  ["@modelcontextprotocol/inspector --cli", createInspector],
  ["mcporter", createMcporter],
];

describe.each(someOf(1, clients))("%s", (_, createClient) => {
  const connect = (token = hub.adminToken()) =>
    createClient({ url: `${hub.url}/mcp`, token, home: home.path });

  test("The client lists the meta-tools", async () => {
    const names = await connect().listTools();
    expect(names).toContainValues(["hub_list", "hub_search", "hub_get", "hub_execute"]);
  });

  test("The client can list, search, get and execute tools", async () => {
    const client = connect();
    const { value: list } = await client.call("hub_list", {});
    expect(list.total).toBeGreaterThan(0);
    expect(list.tools).toHaveLength(list.total);

    const { value: found } = await client.call("hub_search", { query: "Who am I" });
    const toolId = found.tools[0].tool_id;
    expect(toolId).toMatch(/^conn:[0-9a-f-]{36}\/whoami$/);

    const { value: detail } = await client.call("hub_get", { tool_id: toolId });
    expect(detail).toMatchObject({ tool_id: toolId, input_schema: { type: "object" } });

    const answer = await client.call("hub_execute", { tool_id: toolId, params: {} });
    expect(answer).toMatchObject({ isError: false, value: { role: "admin" } });
  });

  test("The client shows a failed operation with its code", async () => {
    const toolId = `conn:${crypto.randomUUID()}/whoami`;
    const answer = await connect().call("hub_execute", { tool_id: toolId });
    expect(answer).toMatchObject({ isError: true, value: { code: "not_found" } });
  });

  test("The client reports an invalid token", async () => {
    const client = connect(`hub_pat_${"0".repeat(32)}`);
    await expect(client.call("hub_list", {})).rejects.toThrow(/auth|401/i);
  });
});
