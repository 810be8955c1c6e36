/**
 * Protects: each setting reaches the component that applies it, and the hub closes what it opens. The
 * components have their own tests; these tests check that they are connected.
 */
import { describe, expect, test } from "bun:test";
import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { craftPlugin, toMembers } from "@hub/server/plugins/testing/craft-plugin.ts";
import { craftZip } from "@hub/server/plugins/testing/craft-zip.ts";
import { listTokens } from "@hub/server/store/users/tokens-table.ts";
import { type ApiHub, openApiHub } from "./api/open-api-hub.ts";
import { readAudit, readLastRun } from "./support/audit.ts";
import { readAnswer } from "./support/mcp-client.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { testOnSqlite } from "./support/test-on-sqlite.ts";
import { waitFor } from "./support/wait-for.ts";

/** The default settings. */
const none: Record<string, string> = {};

/** Creates a user and a row, and returns functions that call the row. */
async function openCaller(hub: ApiHub) {
  const { token, user } = await hub.addUser("ada@example.com", { tags: ["red"] });
  const row = await hub.addRow("Row", ["red"]);
  const post = (operation: string, params: unknown, headers: Record<string, string> = {}) => {
    const call = toToolCall("hub_execute", { tool_id: `conn:${row.id}/${operation}`, params });
    return postRpc(hub.url, token, call, headers);
  };
  return {
    row,
    user,
    post,
    async call(operation: string, params: unknown = {}, headers: Record<string, string> = {}) {
      const answer = await post(operation, params, headers);
      return { headers: answer.headers, ...readAnswer(JSON.parse(await answer.text()).result) };
    },
  };
}

/** An outside system whose first answer pauses after its first part until `goOn` resolves. */
function startLargeHost(onBegun: () => void, goOn: Promise<void>) {
  const headers = { "content-type": "text/plain" };
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    fetch(req) {
      const { pathname } = new URL(req.url);
      if (pathname === "/small") return new Response("small", { headers });
      if (pathname === "/large") return new Response("x".repeat(16 * 1024 * 1024 - 1), { headers });
      async function* write() {
        yield "x".repeat(512 * 1024);
        onBegun();
        await goOn;
      }
      return new Response(write(), { headers });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

test("Forwarding headers are trusted only from HUB_TRUSTED_PROXIES", async () => {
  const headers = { "x-forwarded-for": "198.51.100.9" };
  const addresses: unknown[] = [];
  for (const env of [none, { HUB_TRUSTED_PROXIES: "127.0.0.0/8" }]) {
    await using hub = await openApiHub(env);
    const { call } = await openCaller(hub);
    await call("greet", { name: "Ada" }, headers);
    addresses.push(readLastRun(hub.dataDir).ip_address);
  }
  expect(addresses).toEqual(["127.0.0.1", "198.51.100.9"]);
});

test.each([
  ["HUB_USER_CALLS_PER_MINUTE", "You have"],
  ["HUB_ROW_CALLS_PER_MINUTE", "The callers of this row have"],
])("%s limits calls, and the error says whose limit it is", async (name, subject) => {
  await using hub = await openApiHub({ [name]: "1" });
  const { call } = await openCaller(hub);
  expect((await call("greet", { name: "Ada" })).isError).toBeFalse();
  const { value } = await call("greet", { name: "Ada" });
  expect(value).toMatchObject({ code: "rate_limited", error: expect.stringContaining(subject) });
});

nightlyTest(
  "A user's large answers share that user's limit, and do not block other users",
  async () => {
    await using hub = await openApiHub();
    const finish = Promise.withResolvers<void>();
    const firstPartRead = Promise.withResolvers<void>();
    await using host = startLargeHost(firstPartRead.resolve, finish.promise);
    const row = await hub.admin.rows.add({
      connector: "http",
      label: "Large",
      tags: ["red"],
      values: { base_url: host.url },
    });
    const [ada, ben] = await Promise.all(
      ["ada@example.com", "ben@example.com"].map((email) => hub.addUser(email, { tags: ["red"] })),
    );
    const get = async (user: typeof ada, path: string) => {
      const call = toToolCall("hub_execute", { tool_id: `conn:${row.id}/get`, params: { path } });
      const answer = await postRpc(hub.url, user?.token ?? "", call);
      return readAnswer(JSON.parse(await answer.text()).result).isError;
    };
    const first = get(ada, "/begin");
    await firstPartRead.promise;
    // The hub reads the first part before it answers these requests.
    for (const path of ["/small", "/small", "/small"]) expect(await get(ada, path)).toBeFalse();
    let isSecondDone = false;
    const second = get(ada, "/large").finally(() => {
      isSecondDone = true;
    });
    for (const path of ["/large", "/large", "/large"]) expect(await get(ben, path)).toBeFalse();
    expect(isSecondDone).toBeFalse();
    finish.resolve();
    expect(await Promise.all([first, second])).toEqual([false, false]);
  },
);

test("Only HUB_ENC_DISABLE=1 returns a row's secret in plaintext", async () => {
  const tokens: unknown[] = [];
  for (const env of [none, { HUB_ENC_DISABLE: "1" }]) {
    await using hub = await openApiHub(env);
    const { call } = await openCaller(hub);
    tokens.push(Object((await call("greet", { name: "Ada" })).value).token);
  }
  expect(tokens).toEqual([expect.stringMatching(/^hub_enc_/), "s3cret-token-9fK2xQ7vLm4R"]);
});

testOnSqlite(
  "strictSessions",
  "HUB_MCP_SESSIONS=strict refuses sessions of other processes",
  async () => {
    const statuses: number[] = [];
    for (const env of [none, { HUB_MCP_SESSIONS: "strict" }]) {
      await using hub = await openApiHub(env);
      const { post } = await openCaller(hub);
      const answer = await post(
        "greet",
        { name: "Ada" },
        { "mcp-session-id": crypto.randomUUID() },
      );
      statuses.push(answer.status);
    }
    expect(statuses).toEqual([200, 404]);
  },
);

test("Closing the hub cancels running calls and records them as cancelled", async () => {
  await using hub = await openApiHub();
  const { row, user } = await openCaller(hub);
  const call = toToolCall("hub_execute", { tool_id: `conn:${row.id}/wait`, params: {} });
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const typing = input.writable.getWriter();
  const served = hub.hub.serveStdio({
    input: input.readable,
    output: new WritableStream(),
    userId: user.id,
    command: "hub",
  });
  const initialize = { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: {} };
  for (const message of [
    { jsonrpc: "2.0", id: 0, method: "initialize", params: initialize },
    call,
  ]) {
    await typing.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`));
  }
  await waitFor(() => readAudit(hub.dataDir).some(({ status }) => status === "running"));
  await hub.hub.close();
  expect(readLastRun(hub.dataDir)).toMatchObject({ operation_key: "wait", status: "cancelled" });
  await typing.close();
  await served;
});

test("Closing the hub stores the last use of each token", async () => {
  await using hub = await openApiHub();
  const { call } = await openCaller(hub);
  await call("greet", { name: "Ada" });
  await hub.hub.close();
  const tokens = await listTokens(hub.store.db);
  expect(tokens).toMatchObject([{ lastUsedAt: expect.any(Number) }]);
});

test("/metrics counts calls, refused requests and stored objects", async () => {
  await using hub = await openApiHub();
  const { call } = await openCaller(hub);
  await call("greet", { name: "Ada" });
  await call("greet", {});
  await hub.request("GET", "/manager/api/rows");
  const { body } = await hub.request("GET", "/metrics");
  const lines = String(body).split("\n");
  expect(lines).toContain('hub_refused_requests_total{code="unauthorized"} 1');
  expect(lines).toContain('hub_users{status="active"} 1');
  expect(lines.filter((line) => /^hub_calls_total\{.*\} 1$/.test(line))).toHaveLength(2);
});

describe("Plugin signature settings", () => {
  const signer = generateKeyPairSync("ed25519");
  const cosigner = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const jwk = signer.publicKey.export({ format: "jwk" });
  const pubkey = Buffer.from(jwk.x ?? "", "base64url").toString("base64");
  const cosignKey = cosigner.publicKey.export({ type: "spki", format: "pem" }).toString();

  /** The check that refuses a signed plugin; null if it is installed. */
  async function findRefusal(env: Record<string, string>, signKey = signer.privateKey) {
    await using hub = await openApiHub(env);
    const path = join(hub.dataDir, "plugin.zip");
    await Bun.write(path, craftZip(toMembers(craftPlugin({ signKey }))));
    return await hub.admin.plugins.install(path, { cwd: hub.dataDir }).then(
      () => null,
      (thrown) => Object(thrown).detail?.check ?? `${thrown}`,
    );
  }

  test.each<[string, Record<string, string>, string | null]>([
    ["no setting", {}, null],
    ["only HUB_PLUGIN_REQUIRE_SIGNATURE=1", { HUB_PLUGIN_REQUIRE_SIGNATURE: "1" }, "signature"],
    ["HUB_PLUGIN_PUBKEY of the signer", { HUB_PLUGIN_PUBKEY: pubkey }, null],
    ["HUB_PLUGIN_COSIGN_PUBKEY", { HUB_PLUGIN_COSIGN_PUBKEY: cosignKey }, "cosign"],
  ])("With %s, the installation of a signed plugin passes or fails the expected check", async (_, env, refusal) => {
    expect(await findRefusal(env)).toBe(refusal);
  });

  test("A plugin with another signer's signature is refused", async () => {
    const otherSigner = generateKeyPairSync("ed25519").privateKey;
    expect(await findRefusal({ HUB_PLUGIN_PUBKEY: pubkey }, otherSigner)).toBe("signature");
  });
});
