/**
 * Tries what people and clients may not do, at every route of the management API and at the pages and `/mcp`: the targets of
 * another user, odd methods, unknown members, tokens of another scope, requests of other sites, and what still runs or is
 * read after the right was taken away: `bun scripts/attacks/people-rights.ts [--only TEXT] [--hub CHECKOUT]`.
 * Prints each attack with what it found. The exit code is 1 if one of them succeeds. Linux only, about two minutes.
 */
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { createBrowser } from "../../test/support/browser.ts";
import { signIn } from "../../test/support/oauth-fixture.ts";
import { openRaw, toRequest } from "../../test/support/raw-http.ts";
import { postRpc, toToolCall } from "../../test/support/rpc.ts";
import { startHub } from "../../test/support/start-hub.ts";

const { values: flags } = parseArgs({
  options: { only: { type: "string", default: "" }, hub: { type: "string" } },
});
const checkout = resolve(flags.hub ?? join(import.meta.dirname, "../.."));

/** The answers that the outside system holds back. */
let held: Array<() => void> = [];
const word = "what-only-the-row-knows";
const outside = Bun.serve({
  port: 0,
  idleTimeout: 0,
  async fetch() {
    const { promise, resolve } = Promise.withResolvers<void>();
    held.push(resolve);
    await promise;
    return Response.json({ word });
  },
});
await using hub = await startHub({
  main: join(checkout, "packages/cli/src/hub.ts"),
  env: { HUB_OUTBOUND_ALLOW: "127.0.0.1" },
  hasCheapPasswords: true,
});
const base = `http://localhost:${hub.port}`;
const adminToken = await hub.makeManageToken();

let faults = 0;
async function attack(name: string, run: () => Promise<string[]>): Promise<void> {
  if (!name.includes(flags.only)) return;
  const found = await run().catch((thrown: Error) => [`it failed: ${thrown.stack}`]);
  faults += found.length;
  console.log(`${found.length === 0 ? "refused" : "SUCCEEDED"}  ${name}`);
  for (const fault of found.slice(0, 20)) console.log(`           ${fault}`);
}

type Sent = { token?: string; headers?: Record<string, string>; body?: unknown };
async function ask(method: string, path: string, { token, headers, body }: Sent = {}) {
  const answer = await fetch(`${base}${path}`, {
    method,
    redirect: "manual",
    headers: {
      ...(token !== undefined && { authorization: `Bearer ${token}` }),
      ...(body !== undefined && { "content-type": "application/json" }),
      ...headers,
    },
    ...(body !== undefined && { body: JSON.stringify(body) }),
  });
  const text = await answer.text();
  return { status: answer.status, headers: answer.headers, text };
}
const askJson = async (...given: Parameters<typeof ask>) => {
  const { status, text } = await ask(...given);
  if (status >= 300) throw new Error(`${given[0]} ${given[1]}: ${status} ${text}`);
  return Object(JSON.parse(text));
};

/** A user who signs in, with a tag and tokens. */
async function addPerson(email: string, tag: string) {
  const made = await hub.cli("user", "add", email, "--tag", tag, "--password", "--json");
  const { one_time_password: first } = made.json<{ one_time_password: string }>();
  const password = `correct horse battery ${tag} 42`;
  const browser = createBrowser();
  await signIn(browser, base, { email, password: first });
  const page = await browser.open(`${base}/auth/password`);
  await browser.submit(page, { new_password: password, repeated: password });
  const create = async (scope: string) => {
    const named = ["--user", email, "--name", "rights", "--scope", scope, "--json"];
    return (await hub.cli("token", "create", ...named)).json<{ token: string; id: string }>();
  };
  const [mcp, manage] = [await create("mcp"), await create("manage")];
  const { user } = await askJson("GET", "/profile/api/me", { token: manage.token });
  const { sessions } = await askJson("GET", "/profile/api/sessions", { token: manage.token });
  return { email, browser, mcp, manage, id: user.id, session: sessions[0].id, tag };
}
const ada = await addPerson("ada@example.com", "red");
const ben = await addPerson("ben@example.com", "blue");

/** What ada owns and sees, and ben does not. */
const set = ["--set", `base_url=http://127.0.0.1:${outside.port}`, "--tag", "red"];
const addRow = async (label: string) =>
  (await hub.cli("row", "add", "http", "--label", label, ...set, "--json")).json<{ id: string }>()
    .id;
const row = await addRow("Ada's row");
const body = {
  triggers: [{ id: "start", type: "manual", entry: "ask" }],
  nodes: [{ id: "ask", type: "approval", title: "May it?", approvers: { users: [ada.email] } }],
  edges: [],
};
const flow = await askJson("POST", "/manager/api/workflows", {
  token: ada.manage.token,
  body: { name: "Ada's", body },
});
const flowPath = `/manager/api/workflows/${flow.id}`;
await askJson("POST", `${flowPath}/publish`, { token: ada.manage.token, body: { revision: 1 } });
const flowRun = await askJson("POST", `${flowPath}/runs`, { token: ada.manage.token, body: {} });
await ask("POST", "/mcp", {
  token: ada.mcp.token,
  body: toToolCall("hub_get", { tool_id: `conn:${row}/get` }),
});
const runs = await askJson("GET", "/profile/api/runs", { token: ada.manage.token });
let approval = "none";
for (let tries = 0; tries < 100 && approval === "none"; tries += 1) {
  const { approvals } = await askJson("GET", "/manager/api/approvals", { token: ada.manage.token });
  approval = approvals[0]?.id ?? "none";
  await Bun.sleep(50);
}

type Route = { method: string; path: string };
const { paths } = Object(await (await fetch(`${base}/openapi.json`)).json());
const routes: Route[] = Object.entries<object>(paths).flatMap(([path, methods]) =>
  Object.keys(methods).map((method) => ({ method: method.toUpperCase(), path })),
);
const ofAda: Record<string, string> = {
  row,
  user: ada.id,
  token: ada.mcp.id,
  session: ada.session,
  workflow: flow.id,
  operation: "get",
  field: "base_url",
  version: "1",
  secret: "KEY",
  approval,
  identity: ada.id,
  account: ada.id,
  link: ada.id,
  application: ada.id,
  channel: row,
};
const ofNobody: Record<string, string> = {
  ...ofAda,
  ...Object.fromEntries(
    ["row", "user", "token", "session", "approval", "identity", "channel"].map((name) => [
      name,
      crypto.randomUUID(),
    ]),
  ),
  workflow: "none-such",
};
function fill(path: string, ids: Record<string, string>): string {
  const run = path.includes("/workflows/") ? flowRun.run_id : (runs.runs[0]?.id ?? "none");
  const all = { ...ids, run: ids === ofNobody ? crypto.randomUUID() : run };
  return path.replaceAll(/\{(\w+)\}/g, (_, name) => Object(all)[name] ?? "x");
}
/** Without what the request itself named. */
const blank = (text: string, ids: Record<string, string>) =>
  Object.values(ids)
    .filter((id) => id.length > 8)
    .reduce((kept, id) => kept.replaceAll(id, "ID"), text)
    .replaceAll(/[0-9a-f]{8}-[0-9a-f-]{27}/g, "ID");

await attack("another user's targets answer like those that do not exist", async () => {
  const found: string[] = [];
  for (const { method, path } of routes) {
    if (!path.includes("{")) continue;
    const sent = { token: ben.manage.token, ...(method !== "GET" && { body: {} }) };
    const real = await ask(method, fill(path, ofAda), sent);
    const none = await ask(method, fill(path, ofNobody), sent);
    const texts = [blank(real.text, ofAda), blank(none.text, ofNobody)];
    if (real.status < 300 && !/connectors|plugins/.test(path)) {
      found.push(`${method} ${path}: ${real.status} ${real.text.slice(0, 80)}`);
    } else if (real.status !== none.status || texts[0] !== texts[1]) {
      found.push(`${method} ${path}: ${real.status} ${texts[0]} is not ${none.status} ${texts[1]}`);
    }
  }
  return found;
});

await attack("a token of the scope mcp and a stranger open no route", async () => {
  const found: string[] = [];
  for (const { method, path } of routes) {
    for (const token of [undefined, ada.mcp.token, `${ada.manage.token}0`, ada.manage.id]) {
      const sent = { ...(token && { token }), ...(method !== "GET" && { body: {} }) };
      const { status } = await ask(method, fill(path, ofAda), sent);
      if (status !== 401 && status !== 403) found.push(`${method} ${path}: ${status}`);
    }
  }
  return found;
});

await attack("a session without its CSRF token changes nothing", async () => {
  const found: string[] = [];
  const cookie = ada.browser.cookieHeader(base);
  for (const { method, path } of routes.filter((route) => route.method !== "GET")) {
    const forged: Record<string, string>[] = [
      { cookie },
      { cookie, "x-csrf-token": "x" },
      { cookie, origin: "https://evil.example" },
      { cookie, "x-http-method-override": "GET" },
    ];
    for (const headers of forged) {
      const { status } = await ask(method, fill(path, ofAda), { headers, body: {} });
      if (status !== 403) found.push(`${method} ${path}: ${status}`);
    }
  }
  return found;
});

await attack("unknown members of a body are refused", async () => {
  const found: string[] = [];
  const more = { role: "admin", owner: ada.id, user_id: ada.id, scope: "manage", __proto__x: 1 };
  for (const { method, path } of routes) {
    const { requestBody } = Object(Object(paths)[path])[method.toLowerCase()];
    const schema = Object(requestBody).content?.["application/json"]?.schema;
    if (method === "GET" || schema === undefined) continue;
    const known = Object.keys(Object(schema).properties ?? {});
    for (const [name, value] of Object.entries(more)) {
      if (known.includes(name)) continue;
      const sent = { token: adminToken, body: { [name]: value } };
      const { status, text } = await ask(method, fill(path, ofNobody), sent);
      if (status < 300 || status >= 500) found.push(`${method} ${path} ${name}: ${status} ${text}`);
    }
  }
  return found;
});

await attack("HEAD is answered like GET, and other methods as unknown", async () => {
  const found: string[] = [];
  const more = ["/health", "/openapi.json", "/auth/login", "/profile", "/", "/metrics", "/ready"];
  const all = [...routes.filter(({ method }) => method === "GET").map(({ path }) => path), ...more];
  for (const path of all) {
    const at = fill(path, ofAda);
    for (const token of [ada.manage.token, ben.manage.token, ada.mcp.token]) {
      const [get, head] = [await ask("GET", at, { token }), await ask("HEAD", at, { token })];
      if (get.status !== head.status) found.push(`${path}: ${get.status}, HEAD ${head.status}`);
      if (head.text !== "") found.push(`HEAD ${path} has a body`);
    }
    for (const method of ["OPTIONS", "TRACE", "PROPFIND", "LOCK"]) {
      const { status } = await ask(method, at, { token: adminToken });
      if (status !== 404 && status !== 405) found.push(`${method} ${path}: ${status}`);
    }
  }
  return found;
});

await attack("HEAD keeps no stream of its sender open", async () => {
  const found: string[] = [];
  const events = `${flowPath}/runs/${flowRun.run_id}/events`;
  const token = ada.manage.token;
  for (let count = 0; count < 40; count += 1) {
    const { status } = await ask("HEAD", events, {
      token,
      headers: { accept: "text/event-stream" },
    });
    if (status !== 200) found.push(`the ${count + 1}th HEAD: ${status}`);
  }
  return found;
});

/** Starts a call of ada's row and waits until the outside system has it. */
async function startCall(token: string, accept: string): Promise<{ text: Promise<string> }> {
  const frame = toToolCall("hub_execute", { tool_id: `conn:${row}/get`, params: { path: "/" } });
  const text = postRpc(base, token, frame, { accept }).then((answer) => answer.text());
  for (let tries = 0; held.length === 0 && tries < 500; tries += 1) await Bun.sleep(10);
  return { text };
}

const named = (scope: string) => [
  "--user",
  ada.email,
  "--name",
  "later",
  "--scope",
  scope,
  "--json",
];
const makeToken = async (scope: string) =>
  (await hub.cli("token", "create", ...named(scope))).json<{ token: string; id: string }>();
const losses: Array<
  [name: string, lose: (id: string) => Promise<unknown>, restore: () => Promise<unknown>]
> = [
  ["its token is revoked", (id) => hub.cli("token", "revoke", id), async () => {}],
  [
    "its user is disabled",
    () => hub.cli("user", "disable", ada.email),
    () => hub.cli("user", "enable", ada.email),
  ],
  [
    "its user loses the tag",
    () => hub.cli("user", "set", ada.email, "--untag", "red"),
    () => hub.cli("user", "set", ada.email, "--tag", "red"),
  ],
];
for (const [name, lose, restore] of losses) {
  await attack(`a running call is not answered after ${name}`, async () => {
    const found: string[] = [];
    for (const accept of ["application/json", "text/event-stream"]) {
      const { token, id } = await makeToken("mcp");
      const { text } = await startCall(token, accept);
      await lose(id);
      for (const end of held) end();
      held = [];
      if ((await text).includes(word)) found.push(`${accept}: the answer was sent`);
      await restore();
    }
    return found;
  });
  await attack(`a running call ends after ${name}`, async () => {
    const { token, id } = await makeToken("mcp");
    const { text } = await startCall(token, "text/event-stream");
    await lose(id);
    const ended = await Promise.race([text.then(() => true), Bun.sleep(15_000).then(() => false)]);
    for (const end of held) end();
    held = [];
    await restore();
    return ended ? [] : ["it still runs after 15 s"];
  });
}

for (const [name, lose, restore] of losses.slice(0, 2)) {
  await attack(`the events of a run end after ${name}`, async () => {
    const { token, id } = await makeToken("manage");
    const answer = await fetch(`${base}${flowPath}/runs/${flowRun.run_id}/events`, {
      headers: { authorization: `Bearer ${token}`, accept: "text/event-stream" },
    });
    await lose(id);
    const ended = await Promise.race([
      answer.text().then(
        () => true,
        () => true,
      ),
      Bun.sleep(15_000).then(() => false),
    ]);
    await restore();
    return ended ? [] : ["they are open after 15 s"];
  });
  await attack(`a body that arrives after ${name} changes nothing`, async () => {
    const { token, id } = await makeToken("manage");
    const text = JSON.stringify({ name: `Late, ${name}` });
    await using raw = await openRaw(hub.port);
    const headers = [
      `Host: localhost:${hub.port}`,
      `Authorization: Bearer ${token}`,
      "Content-Type: application/json",
      `Content-Length: ${text.length}`,
    ];
    raw.send(toRequest("POST /manager/api/workflows HTTP/1.1", headers) + text.slice(0, 5));
    await Bun.sleep(1_500);
    await lose(id);
    raw.send(text.slice(5));
    const answer = await raw.answer();
    await restore();
    return answer?.status === 401 ? [] : [`${answer?.status} ${answer?.body}`];
  });
}

outside.stop(true);
console.log(`attacks that succeeded: ${faults}`);
// An exit does not wait for what is disposed of at the end.
await hub[Symbol.asyncDispose]();
process.exit(faults === 0 ? 0 : 1);
