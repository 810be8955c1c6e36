/** Secrets of secret managers: read for the rows that an admin named, sent nowhere else, kept nowhere. */
import {
  afterAll,
  afterEach,
  beforeAll,
  beforeEach,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import type { SecretDestination } from "@hub/contract/secret-source.ts";
import { actAsUser } from "@hub/server/workflows/definition/testing/act-on-workflows.ts";
import { type ApiHub, type Credentials, openApiHub } from "./api/open-api-hub.ts";
import { type EchoServer, startEchoServer } from "./support/echo-server.ts";
import { startVaultStub, type VaultStub } from "./support/vault-stub.ts";

setDefaultTimeout(180_000);

const first = "first-value-Kq83hfLwzP0d";
const second = "second-value-mB72jdXtQa9r";
const other = "neighbours-value-pL55ncRyWe2s";

const owned = new AsyncDisposableStack();
let hub: ApiHub;
let vault: VaultStub;
let upstream: EchoServer;
let elsewhere: EchoServer;
let admin: Credentials;
let token: Credentials;
let source: { id: string; revision: number };

beforeAll(async () => {
  hub = owned.use(
    await openApiHub({ HUB_OUTBOUND_ALLOW: "127.0.0.1", HUB_WORKFLOW_OUTBOUND_ALLOW: "127.0.0.1" }),
  );
  vault = owned.use(startVaultStub());
  upstream = owned.use(startEchoServer());
  elsewhere = owned.use(startEchoServer());
  const { user } = await hub.addUser("root@example.com", { admin: true });
  admin = await hub.openBrowser(user.id);
  token = await hub.addToken(user.id, "manage");
  source = await done("POST", "/admin/api/secret-sources", toSource());
});
afterAll(() => owned.disposeAsync());
beforeEach(() => {
  vault.secrets.set("apps/tracker", { token: first });
  vault.secrets.set("others/neighbour", { token: other });
});
afterEach(() => {
  vault.fails = null;
  vault.token = "token-of-the-hub";
  vault.asked.length = 0;
  upstream.received.length = 0;
  elsewhere.received.length = 0;
});

const toSource = (more: object = {}) => ({
  name: "Vault",
  settings: { kind: "vault", address: vault.url, auth: "token" },
  credentials: { token: vault.token },
  prefixes: ["apps"],
  ...more,
});

async function ask(method: string, path: string, body?: unknown, headers = admin) {
  return await hub.request(method, path, { headers, ...(body !== undefined && { body }) });
}

async function done(method: string, path: string, body?: unknown) {
  const { status, body: answer } = await ask(method, path, body);
  if (status >= 300) throw new Error(`${method} ${path}: ${status} ${JSON.stringify(answer)}`);
  return answer;
}

let rows = 0;
async function addRow(baseUrl = upstream.url, mode = "bearer"): Promise<string> {
  rows += 1;
  const values = { base_url: baseUrl, auth_mode: mode };
  const given = { connector: "http", label: `Row ${rows}`, values, tags: ["rows"] };
  return (await done("POST", "/manager/api/rows", given)).id;
}

/** The addresses of rows as an admin sees them before confirming. */
async function seeRows(ids: readonly string[]) {
  if (ids.length === 0) return [];
  const path = `/admin/api/secret-destinations?ids=${ids.join(",")}`;
  const { destinations }: { destinations: SecretDestination[] } = await done("GET", path);
  return destinations.map(({ id, addresses }) => ({ id, addresses }));
}

let references = 0;
async function addReference(more: { rows?: string[]; [member: string]: unknown }) {
  references += 1;
  const given = {
    name: `Reference ${references}`,
    source: source.id,
    path: "apps/tracker",
    field: "token",
    confirm_rows: await seeRows(more.rows ?? []),
    ...more,
  };
  return await done("POST", "/admin/api/secret-references", given);
}

const nameSecret = (row: string, reference: string, headers = admin) =>
  ask("PUT", `/manager/api/rows/${row}/secrets/token/reference`, { reference }, headers);

async function call(row: string, path = "/echo"): Promise<string> {
  const params = { path };
  const { body } = await ask("POST", `/manager/api/rows/${row}/operations/get/test`, { params });
  return JSON.stringify(body);
}

/** With a token, which may change rows. */
async function setValues(row: string, values: object) {
  const { version } = await done("GET", `/manager/api/rows/${row}/settings`);
  const { status } = await ask(
    "PATCH",
    `/manager/api/rows/${row}/settings`,
    { version, values },
    token,
  );
  expect(status).toBe(200);
}

const refresh = (id: string) => done("POST", `/admin/api/secret-references/${id}/refresh`);
const sent = (server: EchoServer) => server.received.map(({ headers }) => headers.authorization);

async function addNamed() {
  const row = await addRow();
  const reference = await addReference({ rows: [row] });
  expect((await nameSecret(row, reference.id)).status).toBe(200);
  return { row, reference };
}

test("A row gets its secret from the manager once, and neither answers nor the record have it", async () => {
  const { row, reference } = await addNamed();
  const answers = [await call(row), await call(row)];
  expect(sent(upstream)).toEqual([`Bearer ${first}`, `Bearer ${first}`]);
  expect(vault.asked).toEqual(["/v1/secret/data/apps/tracker"]);
  expect(answers.join("")).toContain("hub_enc_");
  const { reads } = await done("GET", `/admin/api/secret-references/${reference.id}/reads`);
  expect(reads).toEqual([expect.objectContaining({ outcome: "read", version: "1" })]);
  const changes = await done("GET", "/admin/api/changes?limit=1000");
  const runs = await done("GET", `/manager/api/runs?row=${row}`);
  const lists = await done("GET", "/admin/api/secret-references");
  const all = JSON.stringify([answers, reads, changes, runs, lists]);
  expect(all).not.toContain(first);
  expect(all).not.toContain(vault.token);
  const files = await readdir(hub.dataDir, { recursive: true, withFileTypes: true });
  const texts = await Promise.all(
    files.filter((file) => file.isFile()).map((file) => readFile(join(file.parentPath, file.name))),
  );
  expect(texts.length).toBeGreaterThan(0);
  expect(texts.filter((text) => text.includes(first) || text.includes(vault.token))).toEqual([]);
});

test("Reads at the same time are one request", async () => {
  const { row } = await addNamed();
  await Promise.all([call(row), call(row), call(row)]);
  expect(vault.asked).toHaveLength(1);
});

test("A rotated secret counts at once when it is refreshed, and the old value stays masked", async () => {
  const { row, reference } = await addNamed();
  await call(row);
  vault.secrets.set("apps/tracker", { token: second });
  expect(await refresh(reference.id)).toMatchObject({ outcome: "read" });
  const answer = await call(row, `/echo?old=${first}`);
  expect(sent(upstream).at(-1)).toBe(`Bearer ${second}`);
  expect(answer).not.toContain(second);
  expect(answer).not.toContain(first);
});

test("While the manager is away, the last value is used; a refusal or an absence drops it at once", async () => {
  const { row, reference } = await addNamed();
  await call(row);
  vault.fails = () => Response.json({ errors: ["Vault is sealed"] }, { status: 503 });
  expect(await refresh(reference.id)).toMatchObject({ outcome: "away" });
  await call(row);
  expect(sent(upstream)).toEqual([`Bearer ${first}`, `Bearer ${first}`]);
  vault.fails = null;
  vault.token = "another";
  expect(await refresh(reference.id)).toMatchObject({ outcome: "refused" });
  expect(await call(row)).toContain("needs_setup");
  expect(upstream.received).toHaveLength(2);
  vault.token = "token-of-the-hub";
  await refresh(reference.id);
  vault.secrets.delete("apps/tracker");
  expect(await refresh(reference.id)).toMatchObject({ outcome: "absent" });
  expect(await call(row)).toContain("needs_setup");
  expect(upstream.received).toHaveLength(2);
});

test("A huge answer, an odd one and a redirect give no value", async () => {
  const { reference } = await addNamed();
  const answers: Array<() => Response> = [
    () => new Response("x".repeat(1024 * 1024)),
    () => Response.json({ data: { data: { token: "y".repeat(100_000) } } }),
    () => new Response("no JSON"),
    () => Response.json([]),
    () => Response.redirect(elsewhere.url, 307),
  ];
  const outcomes: string[] = [];
  for (const answer of answers) {
    vault.fails = answer;
    outcomes.push((await refresh(reference.id)).outcome);
  }
  expect(outcomes).toEqual(["bad", "bad", "absent", "absent", "bad"]);
  expect(elsewhere.received).toEqual([]);
});

test("A token changes neither sources nor references, and names none in a row; it reads them", async () => {
  const { row, reference } = await addNamed();
  const refused = await Promise.all([
    ask("POST", "/admin/api/secret-sources", toSource({ name: "Mine" }), token),
    ask("PUT", `/admin/api/secret-sources/${source.id}`, toSource(), token),
    ask("DELETE", `/admin/api/secret-sources/${source.id}`, undefined, token),
    ask(
      "POST",
      "/admin/api/secret-references",
      { name: "Mine", source: source.id, path: "apps/tracker" },
      token,
    ),
    ask(
      "PUT",
      `/admin/api/secret-references/${reference.id}`,
      { name: "Mine", source: source.id, path: "apps/tracker" },
      token,
    ),
    ask("DELETE", `/admin/api/secret-references/${reference.id}`, undefined, token),
    ask("POST", `/admin/api/secret-references/${reference.id}/refresh`, undefined, token),
    nameSecret(row, reference.id, token),
  ]);
  expect(refused.map(({ status, body }) => [status, body.code])).toEqual(
    refused.map(() => [403, "forbidden"]),
  );
  expect((await ask("GET", "/admin/api/secret-sources", undefined, token)).status).toBe(200);
  expect((await ask("GET", "/admin/api/secret-references", undefined, token)).status).toBe(200);
});

test("A secret goes to no other row, and to no address that was not confirmed", async () => {
  const { row, reference } = await addNamed();
  const stranger = await addRow();
  expect(await nameSecret(stranger, reference.id)).toMatchObject({
    status: 409,
    body: { code: "needs_setup" },
  });
  await call(row);
  await setValues(row, { base_url: elsewhere.url });
  expect(await call(row)).toContain("needs_setup");
  expect(elsewhere.received).toEqual([]);
  const given = {
    name: reference.name,
    source: source.id,
    path: "apps/tracker",
    field: "token",
    rows: [row],
  };
  const changed = await done("PUT", `/admin/api/secret-references/${reference.id}`, given);
  expect(changed.rows).toEqual([expect.objectContaining({ is_current: false })]);
  expect(await call(row)).toContain("needs_setup");
  await done("PUT", `/admin/api/secret-references/${reference.id}`, {
    ...given,
    confirm_rows: await seeRows([row]),
  });
  await call(row);
  expect(sent(elsewhere)).toEqual([`Bearer ${first}`]);
});

test("Only the addresses that an admin saw are confirmed: not those that a row got meanwhile", async () => {
  const { row, reference } = await addNamed();
  const seen = await seeRows([row]);
  expect(seen).toEqual([{ id: row, addresses: ["built-in http", upstream.url] }]);
  await setValues(row, { base_url: elsewhere.url });
  const given = {
    name: reference.name,
    source: source.id,
    path: "apps/tracker",
    field: "token",
    rows: [row],
    confirm_rows: seen,
  };
  const address = `/admin/api/secret-references/${reference.id}`;
  const late = await ask("PUT", address, given);
  expect([late.status, late.body.code]).toEqual([409, "conflict"]);
  expect(JSON.stringify(late.body)).toContain(elsewhere.url);
  const fresh = { ...given, name: "Late" };
  const added = await ask("POST", "/admin/api/secret-references", fresh);
  expect([added.status, added.body.code]).toEqual([409, "conflict"]);
  const blind = await ask("POST", "/admin/api/secret-references", { ...fresh, confirm_rows: [] });
  expect([blind.status, blind.body.code]).toEqual([400, "bad_request"]);
  expect(await call(row)).toContain("needs_setup");
  expect(elsewhere.received).toEqual([]);
});

test("A secret for hosts goes to rows with these alone", async () => {
  const row = await addRow();
  const outside = await addRow(elsewhere.url);
  const { host, origin } = new URL(upstream.url);
  // A host alone stands for https.
  const encrypted = await addReference({ hosts: [host] });
  expect((await nameSecret(row, encrypted.id)).status).toBe(409);
  const reference = await addReference({ hosts: [origin] });
  expect((await nameSecret(outside, reference.id)).status).toBe(409);
  expect((await nameSecret(row, reference.id)).status).toBe(200);
  await call(row);
  expect(sent(upstream)).toEqual([`Bearer ${first}`]);
  await setValues(row, { base_url: elsewhere.url });
  expect(await call(row)).toContain("needs_setup");
  expect(elsewhere.received).toEqual([]);
});

test("Hosts are said as they are compared, and nothing but a host is taken", async () => {
  const hosts = ["https://API.example.com", "nas.lan:8443", "http://nas.lan:8080"];
  expect((await addReference({ hosts })).hosts).toEqual([
    "api.example.com",
    "http://nas.lan:8080",
    "nas.lan:8443",
  ]);
  const faults = [
    "ftp://nas.lan",
    "http://nas.lan:80",
    "nas.lan:443",
    "http://a@nas.lan",
    "nas.lan/a",
  ];
  for (const fault of ["http://", "https://http://nas.lan", "http://nas.lan/", ...faults, ""]) {
    const given = { name: "Faulty", source: source.id, path: "apps/tracker", hosts: [fault] };
    expect((await ask("POST", "/admin/api/secret-references", given)).status).toBe(400);
  }
});

const hostilePaths = [
  "others/neighbour",
  "apps/../others/neighbour",
  "apps/%2e%2e/others/neighbour",
  "apps%2F..%2Fothers/neighbour",
  "apps//../others/neighbour",
  "apps/./../others/neighbour",
  "/apps/tracker",
  "apps/tracker/",
  "apps\\..\\others\\neighbour",
  "apps/．．/others/neighbour",
  "apps/‥/others/neighbour",
  "apps∕..∕others",
  "appsx/tracker",
  "Apps/tracker",
  "apps/tracker?version=1",
  "apps/tracker#x",
  "apps/tracker\0",
  "apps/tracker\n",
  "../../sys/health",
  "",
];

test("No path outside of the prefixes makes a reference, in whatever it is written", async () => {
  const statuses: number[] = [];
  for (const [index, path] of hostilePaths.entries()) {
    const given = { name: `Hostile ${index}`, source: source.id, path, field: "token" };
    statuses.push((await ask("POST", "/admin/api/secret-references", given)).status);
  }
  expect(statuses).toEqual(hostilePaths.map(() => 400));
  expect(vault.asked).toEqual([]);
});

test("A prefix that is narrowed holds for the references that are there", async () => {
  const { row, reference } = await addNamed();
  await call(row);
  const listed = await done("GET", "/admin/api/secret-sources");
  const { credentials: _, ...given } = toSource({
    prefixes: ["apps/other"],
    revision: listed.sources[0].revision,
  });
  await done("PUT", `/admin/api/secret-sources/${source.id}`, given);
  expect(await call(row)).toContain("needs_setup");
  const { last_read: last } = (await done("GET", "/admin/api/secret-references")).references.find(
    ({ id }: { id: string }) => id === reference.id,
  );
  expect(last).toMatchObject({ outcome: "refused" });
  await done("PUT", `/admin/api/secret-sources/${source.id}`, {
    ...given,
    prefixes: ["apps"],
    revision: undefined,
  });
  await call(row);
  expect(sent(upstream)).toHaveLength(2);
});

test("The credentials of a source go to no other address", async () => {
  const settings = { kind: "vault", address: elsewhere.url, auth: "token" };
  const { credentials: _, ...given } = toSource({ settings });
  const { status, body } = await ask("PUT", `/admin/api/secret-sources/${source.id}`, given);
  expect([status, body.code]).toEqual([400, "bad_request"]);
  expect(JSON.stringify(body)).toContain("credentials.token");
});

test("A text that a token or a body gives is never a reference", async () => {
  const { reference } = await addNamed();
  const texts = [
    reference.id,
    reference.name,
    "apps/tracker",
    "vault:apps/tracker",
    "secret:apps/tracker",
    `ref:${reference.id}`,
  ];
  for (const text of texts) {
    const row = await addRow();
    await setValues(row, { token: text });
    await call(row, "/echo");
  }
  expect(sent(upstream)).toHaveLength(texts.length);
  expect(sent(upstream).filter((header) => header?.includes(first))).toEqual([]);
  expect(vault.asked).toEqual([]);
});

let people = 0;
async function addOwner(given: string[], isAdmin = false) {
  const tags = ["rows", ...given];
  people += 1;
  const { user } = await hub.addUser(`owner${people}@example.com`, {
    tags,
    admin: isAdmin,
  });
  return { id: user.id, browser: await hub.openBrowser(user.id) };
}
type Owner = Awaited<ReturnType<typeof addOwner>>;

async function addFlow(owner: Owner, nodes: readonly object[]): Promise<string> {
  const verbs = await actAsUser(hub.hub.services, owner.id);
  const list = nodes.map((node, at) => ({ id: `n${at}`, on_error: "continue", ...node }));
  const edges = list.slice(1).map(({ id }, at) => ({ from: `n${at}`, to: id }));
  const triggers = [{ id: "start", type: "manual", entry: "n0" }];
  // Safe: the tests write nodes as the schema has them.
  const { id } = await verbs.create({
    name: "Flow",
    body: { schema: 1, triggers, nodes: list, edges } as never,
  });
  return id;
}

const nameInFlow = (owner: Owner, flow: string, reference: string) =>
  ask("PUT", `/manager/api/workflows/${flow}/secrets/KEY/reference`, { reference }, owner.browser);

async function run(owner: Owner, flow: string) {
  const verbs = await actAsUser(hub.hub.services, owner.id);
  await verbs.publish(flow, 1);
  const { body } = await ask(
    "POST",
    `/manager/api/workflows/${flow}/runs`,
    { payload: {}, wait_s: 25 },
    owner.browser,
  );
  const shown = await ask(
    "GET",
    `/manager/api/workflows/${flow}/runs/${body.run_id}`,
    undefined,
    owner.browser,
  );
  return JSON.stringify(shown.body);
}

const send = (row: string, path = "/echo") => ({
  type: "operation",
  tool_id: `conn:${row}/get`,
  params: { path, headers: { "x-key": "{{.Secret.KEY}}" } },
});
const keys = (server: EchoServer) => server.received.map(({ headers }) => headers["x-key"]);

test("A workflow's secret of a manager opens in calls of the row of its reference alone", async () => {
  const row = await addRow(upstream.url, "none");
  const stranger = await addRow(elsewhere.url, "none");
  const reference = await addReference({ rows: [row], tags: ["blue"] });
  const owner = await addOwner([], true);
  const http = {
    type: "http",
    url: `${elsewhere.url}/echo`,
    headers: { "x-key": "{{.Secret.KEY}}" },
  };
  const flow = await addFlow(owner, [
    send(row),
    send(stranger),
    http,
    { type: "set", value: "{{.Secret.KEY}}" },
  ]);
  expect((await nameInFlow(owner, flow, reference.name)).status).toBe(200);
  const shown = await run(owner, flow);
  expect(keys(upstream)).toEqual([first]);
  expect(elsewhere.received).toEqual([]);
  expect(shown).not.toContain(first);
  // In the output and the error of the two steps.
  expect(shown.match(/token_invalid/g)).toHaveLength(4);
});

test("A token names no secret of a workflow from a manager, as it names none of a row", async () => {
  const row = await addRow(upstream.url, "none");
  const reference = await addReference({ rows: [row], tags: ["blue"] });
  const flow = await addFlow(await addOwner([], true), [send(row)]);
  const path = `/manager/api/workflows/${flow}/secrets/KEY/reference`;
  const { status, body } = await ask("PUT", path, { reference: reference.id }, token);
  expect([status, body.code]).toEqual([403, "forbidden"]);
});

/** A row whose users with its tag may test it, so that the owner of a workflow calls it without one. */
async function addTestedRow(baseUrl: string): Promise<string> {
  const row = await addRow(baseUrl, "none");
  const { version } = await done("GET", `/manager/api/rows/${row}`);
  await done("PATCH", `/manager/api/rows/${row}`, { version, tests: "tag" });
  return row;
}

async function callPlain(owner: Owner, row: string, params: object) {
  const path = `/manager/api/operations/${row}/get/call`;
  return (await ask("POST", path, { params }, owner.browser)).body;
}

const findToken = (shown: string) => /hub_enc_[\w-]+/.exec(shown)?.[0] ?? "";
const toRendered = { type: "set", value: "{{.Secret.KEY}}" };

async function addRendered() {
  const row = await addTestedRow(upstream.url);
  const reference = await addReference({ rows: [row], tags: ["green"] });
  const owner = await addOwner(["green"]);
  const flow = await addFlow(owner, [toRendered]);
  expect((await nameInFlow(owner, flow, reference.id)).status).toBe(200);
  const rendered = findToken(await run(owner, flow));
  expect(rendered).not.toBe("");
  const use = () => callPlain(owner, row, { path: "/echo", headers: { "x-key": rendered } });
  return { row, reference, owner, use };
}

test("The token that a workflow renders is worth what its owner may use at the moment of each call", async () => {
  const { owner, use } = await addRendered();
  expect(JSON.stringify(await use())).not.toContain(first);
  vault.secrets.set("apps/tracker", { token: second });
  await done("PATCH", `/admin/api/users/${owner.id}`, { tags: ["rows"] });
  expect(await use()).toMatchObject({ code: "needs_setup" });
  expect(keys(upstream)).toEqual([first]);
});

test("The token that a workflow renders holds no value that outlives the reference", async () => {
  const { reference, use } = await addRendered();
  await done("DELETE", `/admin/api/secret-references/${reference.id}`);
  expect(await use()).toMatchObject({ code: "needs_setup" });
  expect(upstream.received).toEqual([]);
});

test("A workflow's secret does not follow its row to an address that no admin confirmed", async () => {
  const { row, reference, owner, use } = await addRendered();
  const flow = await addFlow(owner, [send(row)]);
  expect((await nameInFlow(owner, flow, reference.id)).status).toBe(200);
  await setValues(row, { base_url: elsewhere.url });
  expect(await run(owner, flow)).toContain("another address");
  expect(await use()).toMatchObject({ code: "needs_setup" });
  expect([...elsewhere.received, ...upstream.received]).toEqual([]);
});

test("What an answer shows of a workflow's secret opens in no later call", async () => {
  const { row, owner } = await addRendered();
  const flow = await addFlow(owner, [send(row)]);
  const [name] = (await done("GET", "/admin/api/secret-references")).references.filter(
    ({ rows: of }: { rows: Array<{ id: string }> }) => of.some(({ id }) => id === row),
  );
  expect((await nameInFlow(owner, flow, name.id)).status).toBe(200);
  const shown = await run(owner, flow);
  expect(keys(upstream)).toEqual([first]);
  expect(shown).not.toContain(first);
  await done("DELETE", `/admin/api/secret-references/${name.id}`);
  for (const sealed of new Set(shown.match(/hub_enc_[\w-]+/g))) {
    const answer = await callPlain(owner, row, { path: "/echo", headers: { "x-key": sealed } });
    expect(["needs_setup", "token_invalid"]).toContain(answer.code);
  }
  expect(upstream.received).toHaveLength(1);
});

test("A workflow cannot store a secret in its row's own system, to be read in plain calls", async () => {
  let stored = "";
  await using server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      stored = request.headers.get("x-key") ?? stored;
      return Response.json({ stored });
    },
  });
  const row = await addTestedRow(`http://127.0.0.1:${server.port}`);
  const reference = await addReference({ rows: [row], tags: ["green"] });
  const owner = await addOwner(["green"]);
  const flow = await addFlow(owner, [send(row)]);
  expect((await nameInFlow(owner, flow, reference.id)).status).toBe(200);
  await run(owner, flow);
  expect(stored).toBe(first);
  const read = async () => JSON.stringify(await callPlain(owner, row, { path: "/x" }));
  expect(await read()).toContain("hub_enc_");
  expect(await read()).not.toContain(first);
  vault.secrets.set("apps/tracker", { token: second });
  await refresh(reference.id);
  expect(await read()).not.toContain(first);
});

test("The credentials that basicAuth makes of a secret are made at the call", async () => {
  const row = await addRow(upstream.url, "none");
  const reference = await addReference({ rows: [row], tags: ["green"] });
  const owner = await addOwner(["green"]);
  const headers = { "x-key": '{{basicAuth "robot" .Secret.KEY}}' };
  const flow = await addFlow(owner, [{ ...send(row), params: { path: "/echo", headers } }]);
  expect((await nameInFlow(owner, flow, reference.id)).status).toBe(200);
  const shown = await run(owner, flow);
  expect(keys(upstream)).toEqual([`Basic ${btoa(`robot:${first}`)}`]);
  expect(shown).not.toContain(btoa(`robot:${first}`));
});

test("An owner whom no admin gave a tag of the reference reads nothing, and one who lost it no longer does", async () => {
  const row = await addRow(upstream.url, "none");
  const reference = await addReference({ rows: [row], tags: ["green"] });
  const stranger = await addOwner(["yellow"]);
  const flow = await addFlow(stranger, [send(row)]);
  for (const text of [
    reference.id,
    reference.name,
    "apps/tracker",
    "others/neighbour",
    ...hostilePaths,
  ]) {
    expect((await nameInFlow(stranger, flow, text)).status).not.toBe(200);
  }
  expect(
    (await ask("GET", "/manager/api/secret-references", undefined, stranger.browser)).body,
  ).toEqual({ references: [] });
  const owner = await addOwner(["green"]);
  const own = await addFlow(owner, [send(row)]);
  expect((await nameInFlow(owner, own, reference.id)).status).toBe(200);
  await done("PATCH", `/admin/api/users/${owner.id}`, { tags: ["rows"] });
  expect(await run(owner, own)).toContain("may not use the secret");
  expect(vault.asked.length + upstream.received.length).toBeLessThanOrEqual(1);
  expect(upstream.received).toEqual([]);
});

test("No text of a workflow's secret, payload or field is ever a path or a reference", async () => {
  const row = await addRow(upstream.url, "none");
  const reference = await addReference({ rows: [row], tags: ["green"] });
  const owner = await addOwner([]);
  const verbs = await actAsUser(hub.hub.services, owner.id);
  // Results of the row that the reference names are searched for its value, so one call reads it.
  await call(row);
  const asked = [...vault.asked];
  expect(asked).toEqual(["/v1/secret/data/apps/tracker"]);
  upstream.received.length = 0;
  for (const text of [
    reference.id,
    reference.name,
    "apps/tracker",
    `{{.Secret.${"KEY"}}}`,
    "vault:apps/tracker",
    "secret:apps/tracker",
  ]) {
    const flow = await addFlow(owner, [send(row), { type: "set", value: text }]);
    await verbs.setSecret(flow, "KEY", text);
    await run(owner, flow);
  }
  expect(keys(upstream)).toHaveLength(6);
  expect(keys(upstream)).not.toContain(first);
  expect(vault.asked).toEqual(asked);
});
