/**
 * Protects: the outbound guard in real calls, with the real `http` connector and with one that
 * calls any address: traps 32 and 33. Only the name resolution is simulated.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import { httpConnector } from "../../connectors/builtin/http/http-connector.ts";
import { HubError } from "../../errors.ts";
import { someOf } from "../../lib/testing/amount.ts";
import { openTestOperations, toTestCall } from "../testing/open-test-operations.ts";

const roamer = defineConnector({
  key: "roamer",
  name: "Roamer",
  icon: "compass",
  tier: "builtin",
  description: "Calls any given address.",
  config: { Start: wick("url") },
  operations: {
    visit: {
      description: "Visits an address.",
      input: { URL: wick("required") },
      run: async ({ fetch, params }) => {
        const response = await fetch(params.URL);
        return { status: response.status, body: await response.text() };
      },
    },
  },
});

/** The addresses of the host names. A name with several entries returns the next one each time. */
const names: Record<string, string[][]> = {
  "api.test": [["127.0.0.1"]],
  "other.test": [["127.0.0.1"]],
  "loopback.test": [["127.0.0.1"]],
  "loopback6.test": [["::1"]],
  "mapped.test": [["::ffff:127.0.0.1"]],
  "private.test": [["10.0.0.1"]],
  "home.test": [["192.168.1.1"]],
  "link-local.test": [["169.254.1.1"]],
  "link-local6.test": [["fe80::1%eth0"]],
  "unique-local.test": [["fd00::1"]],
  "nat.test": [["100.64.0.1"]],
  "nat64.test": [["64:ff9b::a00:1"]],
  "unspecified.test": [["0.0.0.0"]],
  "broadcast.test": [["255.255.255.255"]],
  "mixed.test": [["8.8.8.8", "10.0.0.1"]],
  "odd.test": [["127.1"]],
  "metadata.test": [["169.254.169.254"]],
  "metadata6.test": [["fd00:ec2::254"]],
};
const lookedUp: string[] = [];
async function resolve(name: string): Promise<string[]> {
  lookedUp.push(name);
  const answers = names[name] ?? [];
  return (answers.length > 1 ? answers.shift() : answers[0]) ?? [];
}

const metadata = [
  "169.254.169.254",
  "2852039166",
  "0xa9fea9fe",
  "0251.0376.0251.0376",
  "[::ffff:169.254.169.254]",
  "[64:ff9b::a9fe:a9fe]",
  "[2002:a9fe:a9fe::]",
  "[fd00:ec2::254]",
  "169.254.170.2",
  "100.100.100.200",
  "168.63.129.16",
  "metadata.google.internal",
  "METADATA.google.internal.",
  "metadata.test",
  "metadata6.test",
];
const loopback = [
  "127.0.0.1",
  "127.1",
  "127.0.0.1.",
  "2130706433",
  "0x7f000001",
  "0x7f.1",
  "0177.0.0.1",
  "017700000001",
  "①②⑦.0.0.1",
  "[::ffff:127.0.0.1]",
  "[::ffff:7f00:1]",
  "loopback.test",
  "LOOPBACK.test.",
  "mapped.test",
];
const unlisted = [
  ...loopback,
  "localhost",
  "127.255.255.254",
  "[::1]",
  "[::127.0.0.1]",
  "0.0.0.0",
  "0",
  "[::]",
  "10.0.0.1",
  "167772161",
  "012.0.0.1",
  "172.16.0.1",
  "172.31.255.255",
  "192.168.1.1",
  "100.64.0.1",
  "169.254.1.1",
  "198.18.0.1",
  "224.0.0.1",
  "255.255.255.255",
  "[::ffff:10.0.0.1]",
  "[64:ff9b::a00:1]",
  "[64:ff9b:1::a00:1]",
  "[2002:a00:1::]",
  "[2001::1]",
  "[fd00::1]",
  "[fe80::1]",
  "[fec0::1]",
  "[ff02::1]",
  "loopback6.test",
  "private.test",
  "home.test",
  "link-local.test",
  "link-local6.test",
  "unique-local.test",
  "nat.test",
  "nat64.test",
  "unspecified.test",
  "broadcast.test",
  "mixed.test",
  "odd.test",
];
names.localhost = [["127.0.0.1", "::1"]];

const seen: Array<{ host: string; path: string; authorization: string | null }> = [];
/** An outside server. The request says where it redirects to. */
const server = Bun.serve({
  hostname: "127.0.0.1",
  port: 0,
  fetch(req) {
    const { pathname, searchParams } = new URL(req.url);
    seen.push({
      host: req.headers.get("host") ?? "",
      path: pathname,
      authorization: req.headers.get("authorization"),
    });
    const to = searchParams.get("to");
    const status = Number(searchParams.get("status") ?? 302);
    if (to === null) return new Response("arrived");
    const location = to.replace(/[^\0-\x7f]/gu, encodeURIComponent);
    return new Response(null, { status, headers: { location } });
  },
});
const { port } = server;
const at = (host: string) => `http://${host}:${port}/taken`;

type Hub = Awaited<ReturnType<typeof openTestOperations>>;
const owned = new AsyncDisposableStack();
async function open(
  connector: Parameters<typeof openTestOperations>[0],
  outboundAllow: string[] = [],
): Promise<Hub> {
  const hub = await openTestOperations(connector, { network: { resolve }, outboundAllow });
  owned.defer(() => hub.close());
  return hub;
}

let roaming: Hub;
let allowed: Hub;
let http: Hub;
let roamingRow: string;
let allowedRow: string;
let httpRow: string;
beforeAll(async () => {
  roaming = await open(roamer);
  allowed = await open(roamer, ["127.0.0.0/8", "0.0.0.0/0", "::/0", "metadata.google.internal"]);
  http = await open(httpConnector);
  roamingRow = await roaming.addRow({ tags: ["team"] });
  allowedRow = await allowed.addRow({ tags: ["team"] });
  httpRow = await addHttpRow("api.test");
});
afterAll(async () => {
  await owned.disposeAsync();
  await server.stop(true);
});

function addHttpRow(host: string): Promise<string> {
  return http.addRow({
    tags: ["team"],
    values: { base_url: `http://${host}:${port}`, auth_mode: "bearer" },
    secrets: { token: "t-9fK2xQ7vLm4RzW8p" },
  });
}

type Call = { hub: Hub; rowId: string; operation: string; params: Record<string, unknown> };

const visit = (url: string, hub = roaming, rowId = roamingRow): Call => ({
  hub,
  rowId,
  operation: "visit",
  params: { url },
});
const get = (path: string, query: Record<string, string> = {}, rowId = httpRow): Call => ({
  hub: http,
  rowId,
  operation: "get",
  params: { path, query },
});

async function run({ hub, rowId, operation, params }: Call): Promise<unknown> {
  const request = { toolId: `conn:${rowId}/${operation}`, params };
  return (await hub.operations.calls.call(toTestCall(["team"]), request)).value;
}

/** Runs a call that must be refused. Checks the reply and the record. */
async function expectRefused(call: Call, message: RegExp): Promise<void> {
  const arrivals = seen.filter(({ path }) => path === "/taken").length;
  const failure = await run(call).catch((thrown: unknown) => thrown);
  if (!(failure instanceof HubError)) throw new Error(`Not refused: ${JSON.stringify(failure)}`);
  expect(failure.code).toBe("upstream_error");
  expect(failure.message).toMatch(message);
  expect(seen.filter(({ path }) => path === "/taken")).toHaveLength(arrivals);
  const [run_] = await call.hub.listRuns();
  expect(run_).toMatchObject({
    status: "error",
    errorCode: "upstream_error",
    errorMsg: failure.message,
    connectorId: call.rowId,
    operationKey: call.operation,
    httpStatus: null,
    response: null,
  });
  expect(JSON.parse(run_?.request ?? "")).toEqual(call.params);
}

const byGuard = /which connectors may not call.*HUB_OUTBOUND_ALLOW/;
const byNature = /metadata service.*no setting allows it/;

describe("a non-public address is refused and recorded as refused", () => {
  test.each(unlisted)("A direct call to %s is refused", async (host) => {
    await expectRefused(visit(at(host)), byGuard);
  });

  // It passes the same guard as a direct call. In `.ci/nightly` each address is a redirect's, too.
  test.each(
    someOf(20, unlisted),
  )("A redirect of the row's own server to %s is refused", async (host) => {
    await expectRefused(get("/away", { to: at(host) }), byGuard);
    await expectRefused(get("/away", { to: at(host), status: "307" }), byGuard);
  });

  test("The refusal of a host name does not show its address", async () => {
    const failure = await run(visit(at("private.test"))).catch(String);
    expect(failure).toContain("private.test");
    expect(failure).not.toContain("10.0.0.1");
  });
});

describe("a metadata service is refused, even if it is saved or allowed", () => {
  test.each(metadata)("A direct call to %s is refused", async (host) => {
    await expectRefused(visit(`http://${host}/latest`, allowed, allowedRow), byNature);
  });

  test.each(metadata)("A redirect to %s is refused", async (host) => {
    await expectRefused(get("/away", { to: `http://${host}/latest` }), byNature);
  });

  test.each(metadata)("%s is refused as the row's own host", async (host) => {
    await expectRefused(get("/latest", {}, await addHttpRow(host)), byNature);
  });
});

describe("allowed addresses work", () => {
  test.each(loopback)("%s is called if HUB_OUTBOUND_ALLOW contains its network", async (host) => {
    expect(await run(visit(at(host), allowed, allowedRow))).toEqual({
      status: 200,
      body: "arrived",
    });
  });

  test("The http connector calls the row's saved host and follows its redirects to itself", async () => {
    expect(await run(get("/home"))).toMatchObject({ status: 200, body: "arrived" });
    const [run_] = await http.listRuns();
    expect(run_).toMatchObject({ status: "success", httpStatus: 200 });
    const redirected = get("/away", { to: "/home" });
    expect(await run(redirected)).toMatchObject({ status: 200, body: "arrived" });
    expect(seen.at(-1)).toMatchObject({
      path: "/home",
      authorization: "Bearer t-9fK2xQ7vLm4RzW8p",
    });
  });

  test("A saved host allows itself only: not its other ports and not its address", async () => {
    const rowId = await roaming.addRow({
      tags: ["team"],
      values: { start: `http://api.test:${port}/` },
    });
    expect(await run(visit(at("api.test"), roaming, rowId))).toMatchObject({ body: "arrived" });
    const closed = `http://api.test:${(port ?? 0) - 1}/taken`;
    for (const url of [closed, at("other.test"), at("127.0.0.1")]) {
      await expectRefused(visit(url, roaming, rowId), byGuard);
    }
    await expectRefused(visit(at("api.test")), byGuard);
  });

  test("A redirect to another allowed host does not get the credential", async () => {
    const open_ = await open(httpConnector, ["other.test"]);
    const rowId = await open_.addRow({
      tags: ["team"],
      values: { base_url: `http://api.test:${port}`, auth_mode: "bearer" },
      secrets: { token: "t-9fK2xQ7vLm4RzW8p" },
    });
    const params = { path: "/away", query: { to: `http://other.test:${port}/there` } };
    const call = { hub: open_, rowId, operation: "get", params };
    expect(await run(call)).toMatchObject({ status: 200, body: "arrived" });
    expect(seen.at(-1)).toMatchObject({ host: `other.test:${port}`, authorization: null });
  });
});

describe("a host name that resolves to another address the second time (DNS rebinding)", () => {
  test("The guard connects to the address that it has checked, after one look-up", async () => {
    names["rebind.test"] = [["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"]];
    const trap = Bun.serve({ hostname: "127.0.0.2", port, fetch: () => new Response("trapped") });
    owned.defer(() => trap.stop(true));
    const only = await open(roamer, [`127.0.0.1:${port}`]);
    const rowId = await only.addRow({ tags: ["team"] });
    lookedUp.length = 0;
    const call = visit(`http://rebind.test:${port}/`, only, rowId);
    expect(await run(call)).toEqual({ status: 200, body: "arrived" });
    expect(lookedUp).toEqual(["rebind.test"]);
    // The next call resolves the name again and is refused, although a connection to the name is
    // open.
    await expectRefused(call, byGuard);
  });

  test("A redirect to the same host name is checked again", async () => {
    names["rebind.test"] = [["127.0.0.1"], ["10.0.0.1"], ["10.0.0.1"]];
    const only = await open(roamer, [`127.0.0.1:${port}`]);
    const rowId = await only.addRow({ tags: ["team"] });
    const to = encodeURIComponent(at("rebind.test"));
    const call = visit(`http://rebind.test:${port}/away?to=${to}`, only, rowId);
    await expectRefused(call, byGuard);
  });
});
