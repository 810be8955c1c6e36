/**
 * Protects: a caller of a row cannot read its credential or send it to another system, even if the row's
 * system echoes it. The value token of a row's secret is valid only in calls of that row.
 */
import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from "bun:test";
import type { KeyList } from "@hub/contract/key.ts";
import { readLastRun } from "./support/audit.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import { createDataFolder } from "./support/data-folder.ts";
import { type EchoServer, startEchoServer } from "./support/echo-server.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { createPageBrowser, type PageBrowser } from "./support/page-browser.ts";
import { type RunningHub, startHub } from "./support/start-hub.ts";
import { testOnSqlite } from "./support/test-on-sqlite.ts";

setDefaultTimeout(180_000);

const secret = "row-credential-4711-XYZ-9fK2xQ7vLm4R";
const password = "a long enough pass phrase";
const email = "ada@example.com";
const boundMessage = "it is a secret of a row and works only in calls of that row";

const owned = new AsyncDisposableStack();
let dataDir: string;
/** The system of the row, which echoes requests with the credential. */
let echoing: EchoServer;
/** A server of the attacker's choice. */
let collecting: EchoServer;
let hub: RunningHub;
let adaToken: string;
let echoingRow: string;
let collectingRow: string;
/** A value token of the row's secret from the time when `HUB_ROW_TOKENS` was `user`. */
let olderToken: string;

beforeAll(async () => {
  dataDir = owned.use(await createDataFolder()).path;
  echoing = owned.use(startEchoServer());
  collecting = owned.use(startEchoServer());
});
afterAll(() => owned.disposeAsync());

async function addRow(label: string, url: string, ...more: string[]): Promise<string> {
  const flags = ["--label", label, "--tag", "red", "--set", `base_url=${url}`, "--json"];
  const args = ["row", "add", "http", ...flags, ...more];
  const added = await hub.tryCli(args, { env: { SECRET: secret } });
  return added.json<{ id: string }>().id;
}

/** The value token of the row's secret, as the echo contains it. */
async function readEcho(client: TestClient): Promise<string> {
  const { value, text } = await client.execute(`conn:${echoingRow}/get`, { path: "/echo" });
  expect(text).not.toContain(secret);
  return /hub_enc_[\w-]+/.exec(value.body.headers.authorization)?.[0] ?? "";
}

async function signIn(): Promise<PageBrowser> {
  const browser = createPageBrowser(hub.url);
  await browser.go("/profile");
  await browser.submit("/auth/login", { email, password });
  return browser;
}

async function decrypt(token: string): Promise<{ status: number; html: string }> {
  const browser = await signIn();
  await browser.go("/tools/encfields/decrypt");
  const { status } = await browser.submit("/tools/encfields/decrypt", { value: `x ${token}` });
  return { status, html: browser.html() };
}

/** Sends a value token to the attacker's server in every kind of param, and counts the secrets that arrive. */
async function sendToAttacker(client: TestClient, token: string) {
  collecting.received.length = 0;
  const attempts: Record<string, unknown>[] = [
    { body: { stolen: token } },
    { headers: { "x-stolen": `Bearer ${token}` } },
    { query: { stolen: `${token}-prod` } },
    { body: `text with ${token}` },
  ];
  const codes: unknown[] = [];
  for (const attempt of attempts) {
    const params = { path: "/echo", ...attempt };
    const { value } = await client.execute(`conn:${collectingRow}/post`, params);
    codes.push(value.code ?? value.status);
    if (value.code !== undefined) expect(value.error).toContain(boundMessage);
  }
  return { codes, received: JSON.stringify(collecting.received).split(secret).length - 1 };
}

describe("With HUB_ROW_TOKENS=user", () => {
  beforeAll(async () => {
    hub = await startHub({ isHere: true, dataDir, env: { HUB_ROW_TOKENS: "user" } });
    await hub.addUser(email, { tags: ["red"] });
    adaToken = await makeToken(email);
    const bearer = ["--set", "auth_mode=bearer", "--secret-env", "token=SECRET"];
    echoingRow = await addRow("Careless", echoing.url, ...bearer);
    collectingRow = await addRow("Collecting", collecting.url);
    const made = await hub.cli("user", "password", email, "--json");
    const once = made.json<{ one_time_password: string }>().one_time_password;
    const browser = createPageBrowser(hub.url);
    await browser.go("/profile");
    await browser.submit("/auth/login", { email, password: once });
    const change = { current: once, new_password: password, repeated: password };
    await browser.submit("/auth/password", change);
  });
  afterAll(() => hub.stop());

  test("With HUB_ROW_TOKENS=user, a row's value token is valid in other rows and on the decrypt page", async () => {
    await using client = await connectHttp(hub.url, adaToken);
    olderToken = await readEcho(client);
    expect(await sendToAttacker(client, olderToken)).toEqual({
      codes: [200, 200, 200, 200],
      received: 4,
    });
    const page = await decrypt(olderToken);
    expect(page).toEqual({ status: 200, html: expect.stringContaining(secret) });
  });

  test("hub doctor warns about HUB_ROW_TOKENS=user", async () => {
    const { checks } = (await hub.tryCli(["doctor", "--json"])).json<{ checks: unknown[] }>();
    expect(checks).toContainEqual({
      name: "masking",
      status: "warn",
      message: expect.stringContaining("HUB_ROW_TOKENS"),
      checked_at: expect.any(String),
    });
  });
});

describe("With HUB_ROW_TOKENS=bound, the default", () => {
  let client: TestClient;
  let token: string;

  beforeAll(async () => {
    hub = await startHub({ isHere: true, dataDir });
    client = await connectHttp(hub.url, adaToken);
    token = await readEcho(client);
  });
  afterAll(async () => {
    await client[Symbol.asyncDispose]();
    await hub.stop();
  });

  test("A row's value token does not send the secret to another row's system (attack)", async () => {
    const refused = Array.from({ length: 4 }, () => "token_invalid");
    expect(await sendToAttacker(client, token)).toEqual({ codes: refused, received: 0 });
    expect(collecting.received).toEqual([]);
    expect(readLastRun(dataDir)).toMatchObject({ status: "denied", error_code: "token_invalid" });
  });

  test("The decrypt page refuses a row's value token (attack)", async () => {
    const page = await decrypt(token);
    expect(page.status).toBe(422);
    expect(page.html).toContain(boundMessage);
    expect(page.html).not.toContain(secret);
  });

  test("A row's value token is valid in calls of that row, and is masked as the same token", async () => {
    const params = { path: "/echo", headers: { "x-again": `key ${token}` } };
    const { value, text } = await client.execute(`conn:${echoingRow}/get`, params);
    expect(echoing.received.at(-1)?.headers["x-again"]).toBe(`key ${secret}`);
    expect(value.body.headers["x-again"]).toBe(`key ${token}`);
    expect(text).not.toContain(secret);
  });

  test("A retry of a recorded call can use the row's value token", async () => {
    const params = { path: "/echo", body: { key: token } };
    await client.execute(`conn:${echoingRow}/post`, params);
    const run = readLastRun(dataDir);
    const url = `${hub.url}/manager/api/runs/${run.id}/retry`;
    const authorization = `Bearer ${await makeToken(email)}`;
    const headers = { authorization, "content-type": "application/json" };
    const response = await fetch(url, { method: "POST", headers, body: "{}" });
    expect(response.status).toBe(200);
    expect(echoing.received.at(-1)?.body).toBe(JSON.stringify({ key: secret }));
    expect(await response.text()).not.toContain(secret);
  });

  test("An admin's test of another row refuses the row's value token", async () => {
    await using admin = await connectHttp(hub.url, await makeToken("admin@localhost"));
    const own = await readEcho(admin);
    expect(own).not.toBe(token);
    const url = `${hub.url}/manager/api/rows/${collectingRow}/operations/post/test`;
    const headers = {
      authorization: `Bearer ${await makeToken("admin@localhost")}`,
      "content-type": "application/json",
    };
    const params = { path: "/echo", body: { key: own } };
    const response = await fetch(url, {
      method: "POST",
      headers,
      body: JSON.stringify({ params }),
    });
    expect([response.status, Object(await response.json()).code]).toEqual([422, "token_invalid"]);
  });

  test("A value that the caller encrypted is valid in every row, even if it equals the row's secret", async () => {
    const browser = await signIn();
    await browser.go("/tools/encfields");
    await browser.submit("/tools/encfields", { value: secret });
    const own = /hub_enc_[\w-]+/.exec(browser.html())?.[0] ?? "";
    expect((await sendToAttacker(client, own)).received).toBe(4);
    const params = { path: "/echo", body: { key: own } };
    const { value } = await client.execute(`conn:${echoingRow}/post`, params);
    expect(value.body.body).toBe(JSON.stringify({ key: own }));
    expect(value.body.headers.authorization).toBe(`Bearer ${own}`);
  });

  test("A caller's value does not reveal the first characters of the row's secret (attack: guessing)", async () => {
    const browser = await signIn();
    const guesses: unknown[] = [];
    for (const next of [secret.charAt(0), "~"]) {
      await browser.go("/tools/encfields");
      await browser.submit("/tools/encfields", { value: `Bearer ${next}` });
      const body = /hub_enc_[\w-]+/.exec(browser.html())?.[0] ?? "";
      const { value } = await client.execute(`conn:${echoingRow}/post`, { path: "/echo", body });
      guesses.push(value.body.headers.authorization);
    }
    expect(guesses).toEqual([`Bearer ${token}`, `Bearer ${token}`]);
  });

  test("A duplicated row has no secrets, and refuses value tokens of the original row", async () => {
    const headers = {
      authorization: `Bearer ${await makeToken("admin@localhost")}`,
      "content-type": "application/json",
    };
    const request = (method: string, path: string, body: unknown) =>
      fetch(`${hub.url}/manager/api${path}`, { method, headers, body: JSON.stringify(body) });
    const copy = Object(await (await request("POST", `/rows/${echoingRow}/duplicate`, {})).json());
    const path = `/rows/${copy.id}/operations/get/test`;
    const unset = Object(await (await request("POST", path, { params: { path: "/echo" } })).json());
    expect(unset).toMatchObject({ code: "needs_setup", missing: ["token"] });
    await hub.cli("row", "set", copy.id, "--set", "auth_mode=none");
    const params = { path: "/echo", query: { key: token } };
    const refused = Object(await (await request("POST", path, { params })).json());
    expect(refused.code).toBe("token_invalid");
  });

  testOnSqlite(
    "keyRemoval",
    "Older value tokens keep their validity until their key is removed",
    async () => {
      expect((await sendToAttacker(client, olderToken)).received).toBe(4);
      expect((await decrypt(olderToken)).html).toContain(secret);
      await hub.cli("keys", "rotate");
      expect((await sendToAttacker(client, olderToken)).received).toBe(4);
      const { keys } = (await hub.cli("keys", "list", "--json")).json<KeyList>();
      await hub.cli("keys", "remove", keys.find(({ sealing }) => !sealing)?.id ?? "");
      const params = { path: "/echo", body: olderToken };
      const refused = await client.execute(`conn:${collectingRow}/post`, params);
      expect(refused.value.code).toBe("token_invalid");
      expect((await decrypt(olderToken)).status).toBe(422);
      expect(await readEcho(client)).toStartWith("hub_enc_");
    },
  );
});

/** Creates a token that is also valid for the management API. */
async function makeToken(user: string): Promise<string> {
  const flags = ["--user", user, "--name", "test", "--scope", "manage", "--json"];
  return (await hub.cli("token", "create", ...flags)).json<{ token: string }>().token;
}
