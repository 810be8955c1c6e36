/** The downstream project in `downstream/`, which uses the hub as a library by its package name. */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { connectHttp, connectStdio } from "./support/connect-sdk-1.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "downstream/main.ts");
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let toolId: string;

beforeAll(async () => {
  hub = owned.use(await startHub({ main }));
  const added = await hub.tryCli(
    [
      ...["row", "add", "warehouse", "--label", "North", "--json"],
      ...["--set", "site=north", "--secret-env", "api_key=WAREHOUSE_KEY"],
    ],
    { env: { WAREHOUSE_KEY: "wk_9fK2xQ7vLm4RzW8pT3sY" } },
  );
  toolId = `conn:${added.json<{ id: string }>().id}/count_stock`;
});

afterAll(() => owned.disposeAsync());

const clients: Array<[string, () => Promise<TestClient>]> = [
  ["serve", () => connectHttp(hub.url, hub.adminToken())],
  ["mcp serve", () => connectStdio({ dataDir: hub.dataDir, main })],
];

describe.each(clients)("%s of a downstream project", (name, connect) => {
  // One session, because the project starts from its sources for each.
  let client: TestClient;
  beforeAll(async () => {
    client = owned.use(await connect());
  });

  test("Clients list the project's connector and the built-in connectors", async () => {
    const { value } = await client.call("hub_list");
    const names = value.tools.map((tool: { connector: string }) => tool.connector);
    expect(names).toContainValues(["Warehouse", "Hub"]);
  });

  test("Clients run the project's operation with progress and a masked secret", async () => {
    const messages: Array<string | undefined> = [];
    const answer = await client.execute(
      toolId,
      { article: "bolt" },
      { onprogress: ({ message }) => messages.push(message) },
    );
    expect(answer.value).toEqual({
      site: "north",
      article: "bolt",
      pieces: 1200,
      signed_with: expect.stringMatching(/^hub_enc_/),
    });
    // Over stdio, the SDK drops progress that it reads together with the answer.
    expect(messages).toEqual(name === "serve" || messages.length > 0 ? ["asking north"] : []);
  });

  test("Clients get the error message of the project's connector", async () => {
    const answer = await client.execute(toolId, { article: "anvil" });
    expect(answer).toMatchObject({
      isError: true,
      value: {
        code: "upstream_error",
        error: 'There is no article "anvil".',
        http_status: 404,
      },
    });
  });

  test("Clients get the version of the hub", async () => {
    const version = (await Bun.file(join(import.meta.dirname, "../VERSION")).text()).trim();
    const { value } = await client.call("hub_info");
    expect(value).toMatchObject({
      hub_version: version,
      server_build_time: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z$/),
    });
  });
});

test("The help of a downstream project shows the project's name", async () => {
  const { stdout } = await hub.cli("--help");
  expect(stdout).toContain("Usage: acme-hub");
});
