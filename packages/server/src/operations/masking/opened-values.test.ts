/**
 * Protects: an opened value stays one value in its context, and no message of the hub reveals it to
 * the caller, the audit or the log.
 *
 * Of hostile values × inputs × positions, the suite tries each value in the first input of each tool and in
 * one of the others in turn, so that each input gets values and the inputs together all positions; `HUB_TEST_AMOUNT=all` tries
 * each value in each input, in two positions.
 */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from "bun:test";
import { defineConnector, type FieldSpec, toJsonText, wick } from "@hub/connector";
import { httpConnector } from "../../connectors/builtin/http/http-connector.ts";
import { defineHubConnector } from "../../connectors/builtin/hub-connector.ts";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { HubError } from "../../errors.ts";
import { amount, isWholeAmount } from "../../lib/testing/amount.ts";
import { listAddressParts } from "../../secrets/needles/address-parts.ts";
import { createLeakCheck, type LeakCheck } from "../../secrets/testing/leak-check.ts";
import type { Secret } from "../../secrets/testing/secret-cases.ts";
import { sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { openTestOperations, testUserId, toTestCall } from "../testing/open-test-operations.ts";

/** A connector with an input of each kind, and with an address input. */
const taker = defineConnector({
  key: "taker",
  name: "Taker",
  icon: "box",
  tier: "builtin",
  description: "Takes inputs of every kind.",
  config: {},
  operations: {
    take: {
      description: "Gives back what it got.",
      input: {
        Text: wick(),
        Choice: wick("dropdown=open|closed"),
        Count: wick.int(),
        Ratio: wick.float(),
        Flag: wick.bool(),
        Email: wick("email"),
        Address: wick("url"),
        Day: wick("date"),
        Color: wick("color"),
        Table: wick("kvlist=name|value"),
        Data: wick.json(),
        Labels: wick("embed=list"),
      },
      run: ({ params }) => params,
    },
    visit: {
      description: "Calls an address.",
      input: { URL: wick("required") },
      run: async ({ fetch, params }) => (await fetch(params.URL)).status,
    },
  },
});

type Received = { url: string; headers: Record<string, string>; body: string };
const received: Received[] = [];
let server: ReturnType<typeof Bun.serve>;
let hub: Awaited<ReturnType<typeof openTestOperations>>;
const rows: Record<string, string> = {};

beforeAll(async () => {
  server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    async fetch(req) {
      const { pathname, search } = new URL(req.url);
      const headers = req.headers.toJSON();
      received.push({ url: pathname + search, headers, body: await req.text() });
      if (pathname.startsWith("/refused")) {
        return Response.json({ message: "It is refused." }, { status: 404 });
      }
      if (pathname.startsWith("/moved")) {
        return new Response(null, { status: 302, headers: { location: "http://moved.test/" } });
      }
      return Response.json({ ok: true });
    },
  });
  hub = await openTestOperations(httpConnector, {
    others: [taker],
    network: { resolve: async (name) => (name === "api.test" ? ["127.0.0.1"] : []) },
    outboundAllow: ["127.0.0.1"],
  });
  const own = defineHubConnector({ db: hub.store.db, runScript: async () => null });
  hub.registry.register(createLocalConnector(own, (call) => ({ caller: call.caller, call })));
  const values = { base_url: `http://api.test:${server.port}` };
  rows.http = await hub.addRow({ tags: ["team"], values });
  rows.taker = await hub.addRow({ tags: ["team"], connectorKey: "taker" });
  rows.hub = await hub.addRow({ tags: ["team"], connectorKey: "hub" });
});
afterAll(async () => {
  await hub.close();
  await server.stop(true);
});
beforeEach(() => {
  received.length = 0;
});

const seal = (text: string) =>
  sealValue(hub.ring.current(), { userId: testUserId, rowId: null }, text);

async function call(tool: string, params: Record<string, unknown>): Promise<unknown> {
  const [connector = "", operation] = tool.split("/");
  const toolId = `conn:${rows[connector]}/${operation}`;
  return (await hub.operations.calls.call(toTestCall(["team"]), { toolId, params })).value;
}

async function failureOf(tool: string, params: Record<string, unknown>): Promise<HubError> {
  const failure = await call(tool, params).catch((thrown: unknown) => thrown);
  if (failure instanceof HubError) return failure;
  throw new Error(`It did not fail, but answered ${toJsonText(failure)}`);
}

describe("an opened value stays one value", () => {
  const injection = "1&admin=1#x";

  test("An opened value stays one value in a query that is text", async () => {
    await call("http/get", { path: "/x", query: `a=${seal(injection)}&b=2` });
    expect(received[0]?.url).toBe("/x?a=1%26admin%3D1%23x&b=2");
  });

  test("An opened value stays one value in a query that is JSON text, and inside the path", async () => {
    const quote = '","admin":"1';
    await call("http/get", { path: "/x", query: `{"a": "${seal(quote)}"}` });
    await call("http/get", { path: `/x?a=${seal(injection)}&b=2` });
    expect(received.map(({ url }) => url)).toEqual([
      "/x?a=%22%2C%22admin%22%3A%221",
      "/x?a=1%26admin%3D1%23x&b=2",
    ]);
  });

  test("An opened value adds no segment and no query to a path", async () => {
    await call("http/get", { path: `/users/${seal("a/b?c=d")}/keys` });
    expect(received[0]?.url).toBe("/users/a%2Fb%3Fc%3Dd/keys");
    const failure = await failureOf("http/get", { path: `/users/${seal("../admin")}/keys` });
    expect(failure.code).toBe("invalid_params");
  });

  test("An opened value that is the whole path stays below the base URL", async () => {
    await call("http/get", { path: seal("/hooks/T000/B000") });
    expect(received[0]?.url).toBe("/hooks/T000/B000");
    expect((await failureOf("http/get", { path: seal("/../admin") })).code).toBe("invalid_params");
  });

  test("A line break in an opened value does not add a header to headers that are text", async () => {
    const params = { path: "/x", headers: `X-Key=${seal("a&X-Admin=1")}` };
    await call("http/get", params);
    expect(received[0]?.headers).toMatchObject({ "x-key": "a&X-Admin=1" });
    expect(received[0]?.headers).not.toHaveProperty("x-admin");
    for (const headers of [
      `X-Key=${seal("a\r\nX-Evil: 1")}`,
      { "X-Key": seal("a\r\nX-Evil: 1") },
    ]) {
      const failure = await failureOf("http/get", { path: "/x", headers });
      expect(failure.detail.issues).toEqual([
        { path: "headers", message: "have a character that is not allowed in a header" },
      ]);
    }
  });

  test("An opened value changes no other character of a body that is JSON text", async () => {
    const body = `{\n  "key": "${seal('"}, "admin": {"x": "\\\n')}"\n}`;
    await call("http/post", { path: "/x", body });
    expect(JSON.parse(received[0]?.body ?? "")).toEqual({ key: '"}, "admin": {"x": "\\\n' });
    expect(received[0]?.body).toStartWith('{\n  "key": ');
  });

  test("An opened value is escaped in a form that is text, and in no other text", async () => {
    const type = "application/x-www-form-urlencoded";
    const body = `user=ada&password=${seal(injection)}`;
    await call("http/post", { path: "/x", body, content_type: type });
    await call("http/post", { path: "/x", body, headers: { "Content-Type": type } });
    await call("http/post", { path: "/x", body, content_type: "text/plain" });
    const encoded = "user=ada&password=1%26admin%3D1%23x";
    expect(received.map((one) => one.body)).toEqual([
      encoded,
      encoded,
      `user=ada&password=${injection}`,
    ]);
  });

  test("An opened value adds no rows and no columns to a table that is JSON text", async () => {
    const table = `[{"name": "a", "value": "${seal('1"}, {"name": "admin')}"}]`;
    expect(await call("taker/take", { table })).toEqual({
      Table: [{ name: "a", value: expect.stringMatching(/^hub_enc_[\w-]+$/) }],
    });
  });

  test("An opened value with a comma is refused in a comma-separated list", async () => {
    expect(await call("taker/take", { labels: `bug,${seal("help wanted")}` })).toEqual({
      Labels: expect.stringMatching(/^bug,hub_enc_[\w-]+$/),
    });
    const failure = await failureOf("taker/take", { labels: `bug,${seal("a,admin")}` });
    expect(failure.detail.issues).toEqual([
      { path: "labels", message: expect.stringContaining("with a comma") },
    ]);
  });
});

describe("no error message reveals an opened value", () => {
  test("No did-you-mean reveals an opened value; a plain value gets one", async () => {
    const inPlain = await failureOf("taker/take", { choice: "opn" });
    expect(inPlain.message).toContain('Did you mean "open"?');
    const opened = await failureOf("taker/take", { choice: seal("opn") });
    expect(opened.detail.issues).toEqual([
      { path: "choice", message: "must be one of open, closed." },
    ]);
  });

  test("No host of a blocked address reveals an opened value to callers, audit or log", async () => {
    const hidden = ["Secret-Host.example", "secret-host.example", "10.1.2.3", "167838211"];
    hub.logged.length = 0;
    for (const url of [
      seal("https://Secret-Host.example/hook/T000"),
      `https://${seal("Secret-Host")}.example/x`,
      `https://${seal("Secret-Host.example")}:8443/x`,
      seal("http://10.1.2.3/x"),
      `http://${seal("167838211")}/x`,
      seal("https://user:password@Secret-Host.example/x"),
    ]) {
      const failure = await failureOf("taker/visit", { url });
      const [run] = await hub.listRuns(1);
      const output = JSON.stringify([failure.message, failure.detail, run, hub.logged]);
      for (const text of hidden) {
        if (text.length > "Secret-Host".length && !url.startsWith("hub_enc_")) continue;
        expect(output.toLowerCase()).not.toContain(text.toLowerCase());
      }
      expect(output.toLowerCase()).not.toContain("secret-host");
      expect(failure.message).toContain("hub_enc_");
    }
    const inPlain = await failureOf("taker/visit", { url: "https://plain-host.example/" });
    expect(inPlain.message).toContain("plain-host.example");
  });
});

/** Values that try to be quoted in part, to change their context, or to be refused. */
const hostile = [
  "a&admin=1&b=longer-than-a-name",
  "value\r\nX-Evil: 1",
  "../../admin/of-the-host",
  "seg/ment?quEry=value#fragment",
  '","admin":true,"rest":"',
  "https://User:Pa55word@Secret-Host.example.com:8443/hook/T000B000?key=abcdefgh#part",
  "Secret-Host.example.com",
  "müller-secret.example",
  "12345678901234567890",
  "-1e400",
  "opn",
  "ErRor",
  "%2e%2e%2fadmin%00secret",
  "Basic dXNlcjpwYXNzd29yZC1vZi10aGUtdXNlcg==",
  '{"nested": "secret-json", "list": [1, 2]}',
  "[[[[[[[[[[[[[[[[",
  "2026-13-45T99:99:secret",
  "with,comma,and secret",
  "<b>secret & 'quoted'</b>",
  "back\\slash\\secret\\n",
  "k".repeat(300),
];

/** The positions where a model may put a token. */
const places: ReadonlyArray<(token: string) => unknown> = [
  (token) => token,
  (token) => `x ${token} y`,
  (token) => `/moved/${token}/x`,
  (token) => `/refused/${token}?a=${token}`,
  (token) => `a=${token}&${token}=b`,
  (token) => `{"a": "${token}"}`,
  (token) => `[{"name": "${token}", "value": 1}]`,
  (token) => ({ a: token }),
  (token) => [{ name: token, value: token }, token],
  (token) => `https://${token}/x`,
];

const tools = [
  ...[...httpConnector.operations.keys()].map((key) => `http/${key}`),
  "hub/whoami",
  "hub/my_recent_calls",
  "taker/take",
  "taker/visit",
];

/** Each value is tried in only some positions of each input. The inputs together cover all positions. */
const placesPerInput = amount(1, 2);
/** Their inputs pass through the same code as those of `get` and `post`, so each value is tried in one of them in turn. */
const likeOthers = new Set(["http/head", "http/put", "http/patch", "http/delete"]);
/** How many values pass until one is the name of an input. */
const valuesPerName = amount(4, 1);

/** In the suite, a value is tried in the first input, which is the path or comes back as it is, and in one of the others in turn. */
const isTried = (at: number, index: number, count: number) =>
  isWholeAmount || at === 0 || at === 1 + (index % (count - 1));

const withoutFields = new Set(["hub/whoami"]);

describe.each(tools)("no message, record or log line of %s", (tool) => {
  test("No output contains an opened value in any encoding, whatever its content and position", async () => {
    const [connector = "", operation = ""] = tool.split("/");
    const fields = hub.registry.find(connector)?.operations.get(operation)?.inputFields ?? [];
    expect([tool, fields.length > 0]).toEqual([tool, !withoutFields.has(tool)]);
    const isLikeOthers = likeOthers.has(tool);
    const placesEach = isLikeOthers ? 1 : placesPerInput;
    let next = 0;
    for (const [index, text] of hostile.entries()) {
      for (const [at, field] of fields.entries()) {
        if (isLikeOthers && at !== index % fields.length) continue;
        if (!isLikeOthers && !isTried(at, index, fields.length)) continue;
        for (let count = 0; count < placesEach; count += 1) {
          const place = places[next % places.length];
          next += 1;
          if (place !== undefined) await checkCall(tool, field, text, place(seal(text)));
        }
      }
      // An odd step, so that the next value starts at another position.
      next += 1;
      if ((index + tools.indexOf(tool)) % valuesPerName !== 0) continue;
      await checkMessages(text, () =>
        call(tool, { [`name of ${seal(text)}`.slice(0, 64)]: seal(text) }),
      );
    }
  }, 180_000);
});

async function checkCall(tool: string, field: FieldSpec, text: string, value: unknown) {
  const needed = tool.startsWith("http/") && field.key !== "path" ? { path: "/refused" } : {};
  await checkMessages(text, () => call(tool, { ...needed, [field.key]: value }));
}

async function checkMessages(text: string, run: () => Promise<unknown>): Promise<void> {
  hub.logged.length = 0;
  let failure: HubError | null = null;
  const output = await run().catch((thrown: unknown) => {
    if (!(thrown instanceof HubError)) throw thrown;
    failure = thrown;
    return { message: thrown.message, detail: thrown.detail };
  });
  const [audit] = await hub.listRuns(1);
  if (failure !== null) checkParts(text, JSON.stringify([output, audit?.errorMsg, hub.logged]));
  const check = findCheck(text, audit?.connectorId ?? null);
  check.checkJson("the answer", output);
  check.checkJson("the log", JSON.parse(toJsonText(hub.logged)));
  check.checkJson("the audit", { ...audit, request: null, response: null });
  for (const stored of [audit?.request, audit?.response]) {
    if (typeof stored === "string") check.checkJsonText("the audit", stored);
  }
}

/** The check of each row and value, kept because it writes each of them in a hundred forms. */
const checks = new Map<string, LeakCheck>();

function findCheck(text: string, rowId: string | null): LeakCheck {
  const name = `${rowId} ${text}`;
  const known = checks.get(name);
  if (known !== undefined) return known;
  const secret: Secret = { text, anyCase: false };
  const parts = listAddressParts(text).map((part): Secret => ({ text: part, anyCase: true }));
  const owner = { userId: testUserId, rowId };
  const check = createLeakCheck({ ring: hub.ring.current(), ...owner }, [secret], parts);
  checks.set(name, check);
  return check;
}

/** Words that occur in messages independently of the opened value. */
const ownWords = /^(?:fragment|x-evil)$/i;

/** A message must not quote a part of the value either. Shorter parts occur in normal sentences. */
function checkParts(text: string, output: string): void {
  const lower = output.toLowerCase();
  for (const part of listAddressParts(text)) {
    if (part.length < 6 || ownWords.test(part)) continue;
    if (lower.includes(part.toLowerCase())) throw new Error(`"${part}" is quoted: ${output}`);
  }
}
