/**
 * Protects: checks read current data and not a cache. A change by the command line, in another process,
 * applies to the next call of a client that is already connected.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import { join } from "node:path";
import { connectHttp } from "./support/connect-sdk-1.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub, type TestUser } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const owned = new AsyncDisposableStack();
let hub: RunningHub;

beforeAll(async () => {
  const main = join(import.meta.dirname, "support/fixture-hub.ts");
  hub = owned.use(
    await startHub({ main, isHere: true, env: { FIXTURE_SECRET: "a-secret-9fK2xQ7vLm4R" } }),
  );
});

afterAll(() => owned.disposeAsync());

/** Creates a user, a row with a shared tag, and a client that has called the row once. */
async function arrange(name: string) {
  const [user, rowId] = await Promise.all([
    hub.addUser(`${name}@example.com`, { tags: [name] }),
    addRow(name),
  ]);
  const client = await connectHttp(hub.url, user.token);
  const arrangement = { user, rowId, client, toolId: `conn:${rowId}/greet` };
  expect(await greet(arrangement)).toBe("success");
  return arrangement;
}

async function addRow(name: string): Promise<string> {
  const args = ["row", "add", "fixture", "--label", name, "--tag", name, "--json"];
  const added = await hub.cli(...args, "--secret-env", "secret=FIXTURE_SECRET");
  return added.json<{ id: string }>().id;
}

type Arrangement = { user: TestUser; rowId: string; client: TestClient; toolId: string };

async function greet({ client, toolId }: Arrangement): Promise<string> {
  const answer = await client.execute(toolId, { name: "Ada" });
  return answer.isError ? answer.value.code : "success";
}

async function isListed({ client, toolId }: Arrangement): Promise<boolean> {
  const { value } = await client.call("hub_list");
  return value.tools.some((tool: { tool_id: string }) => tool.tool_id === toolId);
}

describe("The next call after a change", () => {
  test("Removing and adding a tag of a user applies to the next call", async () => {
    const arrangement = await arrange("untagged");
    await using _ = arrangement.client;
    await hub.cli("user", "set", arrangement.user.email, "--untag", "untagged");
    expect(await greet(arrangement)).toBe("not_found");
    expect(await isListed(arrangement)).toBeFalse();
    await hub.cli("user", "set", arrangement.user.email, "--tag", "untagged");
    expect(await greet(arrangement)).toBe("success");
    expect(await isListed(arrangement)).toBeTrue();
  });

  test("Removing a tag of a row applies to the next call", async () => {
    const arrangement = await arrange("row-untagged");
    await using _ = arrangement.client;
    await hub.cli("row", "set", arrangement.rowId, "--untag", "row-untagged");
    expect(await greet(arrangement)).toBe("not_found");
  });

  test("Disabling a row applies to the next call", async () => {
    const arrangement = await arrange("row-off");
    await using _ = arrangement.client;
    await hub.cli("row", "disable", arrangement.rowId);
    expect(await greet(arrangement)).toBe("connector_disabled");
    expect(await isListed(arrangement)).toBeFalse();
  });

  test("Deleting a row applies to the next call", async () => {
    const arrangement = await arrange("row-gone");
    await using _ = arrangement.client;
    await hub.cli("row", "delete", arrangement.rowId);
    expect(await greet(arrangement)).toBe("not_found");
  });

  test("Disabling an operation applies to the next call", async () => {
    const arrangement = await arrange("op-off");
    await using _ = arrangement.client;
    await hub.cli("op", "disable", arrangement.rowId, "greet");
    expect(await greet(arrangement)).toBe("operation_disabled");
    expect(await isListed(arrangement)).toBeFalse();
  });

  test("Disabling a connector type applies to the next call", async () => {
    const arrangement = await arrange("type-off");
    await using _ = arrangement.client;
    await hub.cli("type", "disable", "fixture");
    expect(await greet(arrangement)).toBe("connector_disabled");
    expect(await isListed(arrangement)).toBeFalse();
    await hub.cli("type", "enable", "fixture");
    expect(await greet(arrangement)).toBe("success");
  });

  test("A changed secret is sent to the host and masked from the next call", async () => {
    const arrangement = await arrange("re-keyed");
    await using _ = arrangement.client;
    const readToken = async () =>
      (await arrangement.client.execute(`conn:${arrangement.rowId}/show`)).value;
    const before = await readToken();
    const set = ["row", "set", arrangement.rowId, "--secret-env", "secret=NEW_SECRET"];
    await hub.tryCli(set, { env: { NEW_SECRET: "another-secret-9fK2xQ7vLm4R" } });
    expect(await readToken()).toEqual({
      secret: expect.stringMatching(/^hub_enc_/),
      chars: "another-secret-9fK2xQ7vLm4R".length,
    });
    expect(await readToken()).not.toEqual(before);
  });

  test("A changed label applies to the next list, with the same tool id", async () => {
    const arrangement = await arrange("renamed");
    await using _ = arrangement.client;
    await hub.cli("row", "set", arrangement.rowId, "--label", "Another name");
    const { value } = await arrangement.client.call("hub_get", { tool_id: arrangement.toolId });
    expect(value).toMatchObject({ tool_id: arrangement.toolId, label: "Another name" });
  });

  test.each([
    [
      "Disabling a user",
      (arrangement: Arrangement) => hub.cli("user", "disable", arrangement.user.email),
    ],
    [
      "Revoking a token",
      (arrangement: Arrangement) => hub.cli("token", "revoke", arrangement.user.tokenId),
    ],
  ])("%s ends access at the next request", async (title, change) => {
    const arrangement = await arrange(title.replaceAll(" ", "-"));
    await using _ = arrangement.client;
    await change(arrangement);
    const call = toToolCall("hub_execute", {
      tool_id: arrangement.toolId,
      params: { name: "Ada" },
    });
    const response = await postRpc(hub.url, arrangement.user.token, call);
    expect(response.status).toBe(401);
    await expect(greet(arrangement)).rejects.toThrow();
  });
});
