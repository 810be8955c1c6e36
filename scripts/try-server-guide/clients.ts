/** The clients of a hub behind nginx: sign-in, OAuth, MCP with progress, a webhook, large bodies. Called by `try-server-guide.sh`. */
import assert from "node:assert/strict";
import { createHmac, randomBytes } from "node:crypto";
import { readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import * as oauth from "oauth4webapi";
import { createBrowser } from "../../test/support/browser.ts";
import { callback, signIn, signInAndDecide } from "../../test/support/oauth-fixture.ts";
import { postRpc, toToolCall } from "../../test/support/rpc.ts";
import { serveSlowTool } from "./slow-tool.ts";

const base = "https://hub.example.com";
/** Of the webhook, as in the guide to workflows. */
const senderKey = "key-of-the-sender";
const mebibyte = 1024 * 1024;
const [root = ""] = process.argv.slice(2);
const log = await readFile(join(root, "srv/first-log"), "utf8");

/** Runs a command of the hub as `hub service run` does. */
async function hub(...args: string[]): Promise<string> {
  const command = ["chroot", root, "hub", "service", "run", "--", ...args];
  const env = { ...process.env, REPORT_KEY: senderKey };
  const child = Bun.spawn(command, { env, stdin: "ignore", stderr: "inherit" });
  const printed = await child.stdout.text();
  assert.equal(await child.exited, 0, command.join(" "));
  return printed;
}

function readWord(pattern: RegExp): string {
  const [, word] = pattern.exec(log) ?? [];
  assert(word !== undefined, `the log of the first start has no ${pattern}:\n${log}`);
  return word;
}

async function changePassword() {
  const cookies = (await fetch(`${base}/auth/login`)).headers.getSetCookie();
  assert(cookies.length > 0);
  for (const cookie of cookies) assert.match(cookie, /; *Secure/i);
  const email = "admin@localhost";
  const browser = createBrowser();
  await signIn(browser, base, { email, password: readWord(/one-time password[^\w]*([\w-]{8,})/i) });
  const page = await browser.open(`${base}/auth/password`);
  const password = `correct horse battery ${randomBytes(6).toString("hex")}`;
  await browser.submit(page, { new_password: password, repeated: password });
  const profile = await browser.open(`${base}/profile`);
  assert.equal(profile.status, 200);
  assert(!profile.url.includes("/auth/"), profile.url);
  return { email, password };
}

async function getToken(login: { email: string; password: string }): Promise<string> {
  const resource = new URL(`${base}/mcp`);
  const described = await oauth.resourceDiscoveryRequest(resource);
  const metadata = await oauth.processResourceDiscoveryResponse(resource, described);
  const issuer = new URL(metadata.authorization_servers?.[0] ?? "");
  const found = await oauth.discoveryRequest(issuer, { algorithm: "oauth2" });
  const server = await oauth.processDiscoveryResponse(issuer, found);
  const registered = await oauth.dynamicClientRegistrationRequest(server, {
    redirect_uris: [callback],
    client_name: "oauth4webapi",
  });
  const client = await oauth.processDynamicClientRegistrationResponse(registered);
  const verifier = oauth.generateRandomCodeVerifier();
  const state = oauth.generateRandomState();
  const url = new URL(server.authorization_endpoint ?? "");
  url.search = new URLSearchParams({
    client_id: client.client_id,
    response_type: "code",
    redirect_uri: callback,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: "S256",
    resource: resource.href,
    scope: "mcp offline_access",
    state,
  }).toString();
  const browser = createBrowser({ stopAt: (next) => next.href.startsWith(callback) });
  const back = await signInAndDecide(browser, url.href, login);
  const params = oauth.validateAuthResponse(server, client, new URL(back.url), state);
  const redeemed = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    oauth.None(),
    params,
    callback,
    verifier,
  );
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, redeemed);
  return tokens.access_token;
}

/** Expects that each report of progress arrives while the tool runs. */
async function followProgress(token: string): Promise<void> {
  await using tool = await serveSlowTool();
  const row = await hub(
    "row",
    "add",
    "mcp",
    "--label",
    "Slow",
    "--set",
    `url=${tool.url}`,
    "--incomplete",
  );
  await hub("bridge", "discover", "Slow");
  await hub("bridge", "approve", "Slow", "slow");
  const [toolId = ""] = /conn:[\w-]+\/slow/.exec(row + (await hub("row", "show", "Slow"))) ?? [];
  const call = toToolCall("hub_execute", { tool_id: toolId, params: {} });
  const params = { ...call.params, _meta: { progressToken: "p" } };
  const answer = await postRpc(base, token, { ...call, params });
  assert.equal(answer.status, 200);
  assert.match(answer.headers.get("content-type") ?? "", /event-stream/);
  let text = "";
  const decoder = new TextDecoder();
  for await (const part of answer.body ?? []) {
    text += decoder.decode(part, { stream: true });
    // The tool goes on when its report has reached the client, through the hub and nginx.
    tool.confirm(text.split('"notifications/progress"').length - 1);
  }
  assert.equal(text.split('"notifications/progress"').length - 1, 3, text);
  assert.match(text, /slow is done/);
}

async function sendWebhook(): Promise<void> {
  const body = {
    triggers: [
      {
        id: "report",
        type: "webhook",
        path: "report",
        entry: "number",
        secret_ref: "REPORT_KEY",
        respond_mode: "respond_node",
      },
    ],
    nodes: [
      {
        id: "number",
        type: "webhook_respond",
        respond_status: 201,
        respond_body: '{"title": "{{.Event.Payload.body.title}}"}',
      },
    ],
    edges: [],
  };
  await writeFile(join(root, "srv/echo.json"), JSON.stringify(body), { mode: 0o644 });
  await hub(
    "workflow",
    "new",
    "Echo",
    "--owner",
    "admin@localhost",
    "--id",
    "echo",
    "--file",
    "/srv/echo.json",
  );
  await hub("workflow", "secret", "set", "echo", "REPORT_KEY", "--env", "REPORT_KEY");
  await hub("workflow", "publish", "echo");
  const report = JSON.stringify({ title: "The shop is down" });
  const signature = createHmac("sha256", senderKey).update(report).digest("hex");
  const send = (text: string, sig: string) =>
    fetch(`${base}/webhook/echo/report`, {
      method: "POST",
      headers: { "content-type": "application/json", "x-hub-sig": `sha256=${sig}` },
      body: text,
    });
  const answer = await send(report, signature);
  assert.deepEqual([answer.status, await answer.json()], [201, { title: "The shop is down" }]);
  assert.equal((await send(report, "00")).status, 401);
  const refused = await send("x".repeat(12 * mebibyte), "00");
  assert.deepEqual([refused.status, Object(await refused.json()).code], [413, "body_too_large"]);
  assert((await hub("workflow", "webhooks", "echo")).includes(`${base}/webhook/echo/report`));
}

async function sendLargeBodies(token: string): Promise<void> {
  const ping = (size: number) =>
    postRpc(
      base,
      token,
      JSON.stringify({ jsonrpc: "2.0", id: 1, method: "ping", params: { a: "x".repeat(size) } }),
    );
  const byHub = await ping(12 * mebibyte);
  assert.deepEqual([byHub.status, byHub.headers.has("x-request-id")], [413, true]);
  console.log(`12 MiB, by the hub: ${await byHub.text()}`);
  const byProxy = await ping(65 * mebibyte);
  assert.deepEqual([byProxy.status, byProxy.headers.has("x-request-id")], [413, false]);
}

const login = await changePassword();
console.log("signed in with the one-time password; each cookie is Secure");
const token = await getToken(login);
const listed = await postRpc(base, token, toToolCall("hub_list", {}));
assert.equal(listed.status, 200);
const first = await postRpc(base, readWord(/(hub_pat_[0-9a-f]{32})/), toToolCall("hub_list", {}));
assert.equal(first.status, 200);
console.log("OAuth from discovery to a call; the token of the first start");
await followProgress(token);
console.log("each report of progress arrived while the tool ran");
await sendWebhook();
console.log("a signed webhook was answered");
await sendLargeBodies(token);
