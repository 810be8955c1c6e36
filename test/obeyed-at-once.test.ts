/**
 * A change made by the command line, in another process, is obeyed by the very next call of a
 * client that was connected before. Protects: checks read the present, never a list-time cache.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { connectHttp } from "./support/connect-sdk-1.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub, type TestUser } from "./support/start-hub.ts";

setDefaultTimeout(30_000);

const owned = new AsyncDisposableStack();
let hub: RunningHub;

beforeAll(async () => {
  const main = join(import.meta.dirname, "support/fixture-hub.ts");
  hub = owned.use(await startHub({ main, env: { FIXTURE_SECRET: "a-secret" } }));
});

afterAll(() => owned.disposeAsync());

/** A user, a row that the user sees by a tag of its own, and a client that has called it once. */
async function arrange(name: string) {
  const [user, rowId] = await Promise.all([
    hub.addUser(`${name}@example.com`, { tags: [name] }),
    addRow(name),
  ]);
  const client = await connectHttp(hub.url, user.token);
  const stage = { user, rowId, client, toolId: `conn:${rowId}/greet` };
  expect(await greet(stage)).toBe("success");
  return stage;
}

async function addRow(name: string): Promise<string> {
  const args = ["row", "add", "fixture", "--label", name, "--tag", name, "--json"];
  const added = await hub.cli(...args, "--secret-env", "secret=FIXTURE_SECRET");
  return added.json<{ id: string }>().id;
}

type Stage = { user: TestUser; rowId: string; client: TestClient; toolId: string };

async function greet({ client, toolId }: Stage): Promise<string> {
  const answer = await client.execute(toolId, { name: "Ada" });
  return answer.isError ? answer.value.code : "success";
}

async function isListed({ client, toolId }: Stage): Promise<boolean> {
  const { value } = await client.call("hub_list");
  return value.tools.some((tool: { tool_id: string }) => tool.tool_id === toolId);
}

describe("the next call obeys", () => {
  test("a tag taken from the user, and given back", async () => {
    const stage = await arrange("untagged");
    await using _ = stage.client;
    await hub.cli("user", "set", stage.user.email, "--untag", "untagged");
    expect(await greet(stage)).toBe("not_found");
    expect(await isListed(stage)).toBeFalse();
    await hub.cli("user", "set", stage.user.email, "--tag", "untagged");
    expect(await greet(stage)).toBe("success");
    expect(await isListed(stage)).toBeTrue();
  });

  test("a tag taken from the row", async () => {
    const stage = await arrange("row-untagged");
    await using _ = stage.client;
    await hub.cli("row", "set", stage.rowId, "--untag", "row-untagged");
    expect(await greet(stage)).toBe("not_found");
  });

  test("a row disabled", async () => {
    const stage = await arrange("row-off");
    await using _ = stage.client;
    await hub.cli("row", "disable", stage.rowId);
    expect(await greet(stage)).toBe("connector_disabled");
    expect(await isListed(stage)).toBeFalse();
  });

  test("a row deleted", async () => {
    const stage = await arrange("row-gone");
    await using _ = stage.client;
    await hub.cli("row", "delete", stage.rowId);
    expect(await greet(stage)).toBe("not_found");
  });

  test("an operation disabled", async () => {
    const stage = await arrange("op-off");
    await using _ = stage.client;
    await hub.cli("op", "disable", stage.rowId, "greet");
    expect(await greet(stage)).toBe("operation_disabled");
    expect(await isListed(stage)).toBeFalse();
  });

  test("a connector type disabled", async () => {
    const stage = await arrange("type-off");
    await using _ = stage.client;
    await hub.cli("type", "disable", "fixture");
    expect(await greet(stage)).toBe("connector_disabled");
    expect(await isListed(stage)).toBeFalse();
    await hub.cli("type", "enable", "fixture");
    expect(await greet(stage)).toBe("success");
  });

  test("a changed secret: the outside and the mask get the new one", async () => {
    const stage = await arrange("re-keyed");
    await using _ = stage.client;
    const readToken = async () => (await stage.client.execute(`conn:${stage.rowId}/show`)).value;
    const before = await readToken();
    const set = ["row", "set", stage.rowId, "--secret-env", "secret=NEW_SECRET"];
    await hub.tryCli(set, { env: { NEW_SECRET: "another-secret" } });
    expect(await readToken()).toEqual({
      secret: expect.stringMatching(/^hub_enc_/),
      chars: "another-secret".length,
    });
    expect(await readToken()).not.toEqual(before);
  });

  test("a changed label, under the same tool id", async () => {
    const stage = await arrange("renamed");
    await using _ = stage.client;
    await hub.cli("row", "set", stage.rowId, "--label", "Another name");
    const { value } = await stage.client.call("hub_get", { tool_id: stage.toolId });
    expect(value).toMatchObject({ tool_id: stage.toolId, label: "Another name" });
  });

  test.each([
    ["a user disabled", (stage: Stage) => hub.cli("user", "disable", stage.user.email)],
    ["a token revoked", (stage: Stage) => hub.cli("token", "revoke", stage.user.tokenId)],
  ])("%s: the token opens no door any more", async (title, change) => {
    const stage = await arrange(title.replaceAll(" ", "-"));
    await using _ = stage.client;
    await change(stage);
    const call = toToolCall("hub_execute", { tool_id: stage.toolId, params: { name: "Ada" } });
    const response = await postRpc(hub.url, stage.user.token, call);
    expect(response.status).toBe(401);
    await expect(greet(stage)).rejects.toThrow();
  });
});
