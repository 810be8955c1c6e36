/**
 * What a stranger, or a client gone wrong, may send to the HTTP door: each gets a clear answer or the
 * end of its connection, nothing of it runs, and a client that was there before is served as ever.
 */
import {
  afterAll,
  afterEach,
  beforeAll,
  describe,
  expect,
  setDefaultTimeout,
  test,
} from "bun:test";
import { join } from "node:path";
import { readAudit } from "./support/audit.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { openRaw, type RawAnswer, toRequest } from "./support/raw-http.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub, type TestUser } from "./support/start-hub.ts";

setDefaultTimeout(30_000);

const main = join(import.meta.dirname, "support/hostile-hub.ts");
const bodyBytesMax = 4 * 1024 * 1024;
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let ada: TestUser;
/** Was connected before, and is served meanwhile. */
let bystander: TestClient;

beforeAll(async () => {
  hub = owned.use(await startHub({ main }));
  ada = await hub.addUser("ada@example.com");
  bystander = owned.use(await connectHttp(hub.url, ada.token));
});

afterAll(() => owned.disposeAsync());

afterEach(async () => {
  expect((await bystander.call("hub_info")).isError).toBeFalse();
});

const call = JSON.stringify(toToolCall("hub_list", {}));

/** The headers of a call that would be answered. */
function toHeaders(token = ada.token): string[] {
  return [
    `Host: localhost:${hub.port}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
  ];
}

const ownLength = `Content-Length: ${call.length}`;
const post = "POST /mcp HTTP/1.1";

/** The answers that some bytes get, and whether the connection was cut after the last of them. */
async function exchange(bytes: string | Uint8Array) {
  await using raw = await openRaw(hub.port);
  raw.send(bytes);
  const answers: RawAnswer[] = [];
  const first = await raw.answer();
  if (first !== null) answers.push(first);
  // Where the connection is still good, this is answered and ends it.
  const probe = toRequest("GET /health HTTP/1.1", ["Host: localhost", "Connection: close"]);
  raw.send(probe);
  for (let next = await raw.answer(); next !== null; next = await raw.answer()) answers.push(next);
  const isGood = answers.at(-1)?.body === '{"status":"ok"}';
  return { answers: isGood ? answers.slice(0, -1) : answers, isGood };
}

function countRuns(): number {
  return readAudit(hub.dataDir).filter(({ operation_key: key }) => key === "hub_list").length;
}

test("the request that the others are variants of is answered", async () => {
  const before = countRuns();
  const { answers, isGood } = await exchange(toRequest(post, [...toHeaders(), ownLength], call));
  expect(answers).toMatchObject([{ status: 200 }]);
  expect([isGood, countRuns()]).toEqual([true, before + 1]);
});

describe("without a token that is accepted", () => {
  const ask = (headers: Record<string, string>, path = "/mcp") =>
    fetch(`${hub.url}${path}`, {
      method: "POST",
      headers: { "content-type": "application/json", ...headers },
      body: call,
    });

  const challenge = () =>
    `resource_metadata="http://localhost:${hub.port}/.well-known/oauth-protected-resource", scope="mcp"`;

  async function expectRefused(response: Response, wasSent: boolean): Promise<void> {
    expect(response.status).toBe(401);
    const error = wasSent ? 'error="invalid_token", ' : "";
    expect(response.headers.get("www-authenticate")).toBe(`Bearer ${error}${challenge()}`);
    expect(await response.json()).toEqual({ error: expect.any(String), code: "unauthorized" });
  }

  test.each<[string, Record<string, string>]>([
    ["none", {}],
    ["another scheme", { authorization: "Basic YWRhOmFkYQ==" }],
    ["a scheme alone", { authorization: "Bearer" }],
    ["two tokens", { authorization: "Bearer a b" }],
    ["an empty header", { authorization: "" }],
  ])("what is no bearer token is challenged: %s", async (_, headers) => {
    const before = countRuns();
    await expectRefused(await ask(headers), false);
    expect(countRuns()).toBe(before);
  });

  test.each([
    ["unknown", `hub_pat_${"0".repeat(32)}`],
    ["of another kind", "sk-0123456789"],
    ["far too long", "x".repeat(10_000)],
    ["made of SQL", "'or'1'='1"],
    ["not ASCII", "hub_pat_\u00e4\u00f6\u00fc"],
  ])("a token that is %s is refused as one", async (_, token) => {
    const before = countRuns();
    await expectRefused(await ask({ authorization: `Bearer ${token}` }), true);
    expect(countRuns()).toBe(before);
  });

  test("a token is refused in any case but its own, and cut or extended", async () => {
    for (const token of [ada.token.toUpperCase(), ada.token.slice(0, -1), `${ada.token}0`]) {
      await expectRefused(await ask({ authorization: `Bearer ${token}` }), true);
    }
  });

  test("a revoked token is refused with the next request", async () => {
    const { token, tokenId } = await hub.addUser("revoked@example.com");
    expect((await ask({ authorization: `Bearer ${token}` })).status).toBe(200);
    await hub.cli("token", "revoke", tokenId);
    await expectRefused(await ask({ authorization: `Bearer ${token}` }), true);
  });

  test("a disabled user's token is refused with the next request", async () => {
    const { email, token } = await hub.addUser("disabled@example.com");
    expect((await ask({ authorization: `Bearer ${token}` })).status).toBe(200);
    await hub.cli("user", "disable", email);
    await expectRefused(await ask({ authorization: `Bearer ${token}` }), true);
  });

  test("a token in the address counts for nothing", async () => {
    await expectRefused(await ask({}, `/mcp?access_token=${ada.token}`), false);
  });

  test.each([
    "GET",
    "DELETE",
    "PUT",
    "HEAD",
    "OPTIONS",
    "TRACE",
  ])("%s is challenged before it is told that only POST is taken", async (method) => {
    await using raw = await openRaw(hub.port);
    raw.send(toRequest(`${method} /mcp HTTP/1.1`, [`Host: localhost:${hub.port}`]));
    raw.socket.end();
    expect((await raw.answer())?.status).toBe(401);
  });

  test.each([
    "/%6dcp",
    "/./mcp",
    "/health/../mcp",
    "/mcp?",
    "/mcp#x",
    "//mcp",
    "/mcp/",
    "/MCP",
    "/mcp%2f",
    "/mcp;x",
    "/mcp%00",
  ])("no other way to write the address goes around the check: %s", async (path) => {
    const headers = [`Host: localhost:${hub.port}`, "Content-Type: application/json", ownLength];
    const { answers } = await exchange(toRequest(`POST ${path} HTTP/1.1`, headers, call));
    expect([401, 404]).toContain(answers[0]?.status ?? 0);
  });
});

describe("Host and Origin", () => {
  test.each([
    "evil.example",
    "localhost",
    "localhost:1",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "[::1]:1",
    "localhost:7420@evil.example",
    "",
  ])("a Host that is not the hub's is refused with 403, against DNS rebinding: %p", async (host) => {
    const headers = [`Host: ${host}`, ...toHeaders().slice(1), ownLength];
    const { answers } = await exchange(toRequest(post, headers, call));
    expect(answers).toMatchObject([{ status: 403 }]);
    expect(JSON.parse(answers[0]?.body ?? "")).toMatchObject({ code: "forbidden" });
  });

  test("two Hosts are not the hub's, whichever comes first", async () => {
    for (const order of [0, 3]) {
      const headers = toHeaders().toSpliced(order, 0, "Host: evil.example");
      const { answers } = await exchange(toRequest(post, [...headers, ownLength], call));
      expect(answers).toMatchObject([{ status: 403 }]);
    }
  });

  test.each([
    "https://evil.example",
    "http://localhost:1",
    "null",
    "http://localhost.evil.example",
    "http://evil.example@localhost",
    "file://",
    "*",
  ])("an Origin that is not the hub's is refused with 403: %s", async (origin) => {
    const response = await postRpc(hub.url, ada.token, toToolCall("hub_list", {}), { origin });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "forbidden" });
  });

  test("no answer lets a page of another site read it", async () => {
    const response = await fetch(`${hub.url}/mcp`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(response.status).toBe(403);
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-"))).toEqual([]);
  });
});

describe("size, type and bytes", () => {
  const padded = (bytes: number) => `${call}${" ".repeat(bytes - call.length)}`;

  test("4 MiB are taken, and not a byte more: 413", async () => {
    const fits = await postRpc(hub.url, ada.token, padded(bodyBytesMax));
    expect(fits.status).toBe(200);
    const answer = await postRpc(hub.url, ada.token, padded(bodyBytesMax + 1));
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ code: "body_too_large" });
  });

  test("a body that only says it is large is refused before it comes: 413", async () => {
    const headers = [...toHeaders(), "Content-Length: 999999999999"];
    const { answers } = await exchange(toRequest(post, headers));
    expect(answers).toMatchObject([{ status: 413, headers: { connection: "close" } }]);
  });

  test("a body without an announced length is counted: 413", async () => {
    await using raw = await openRaw(hub.port);
    raw.send(toRequest(post, [...toHeaders(), "Transfer-Encoding: chunked"]));
    const chunk = " ".repeat(64 * 1024);
    for (let sent = 0; sent <= bodyBytesMax; sent += chunk.length) {
      raw.send(`${chunk.length.toString(16)}\r\n${chunk}\r\n`);
    }
    expect((await raw.answer())?.status).toBe(413);
    await raw.closed;
  });

  test.each([
    ["", 415],
    ["text/plain", 415],
    ["application/x-www-form-urlencoded", 415],
    ["multipart/form-data; boundary=x", 415],
    ["application/json, text/plain", 415],
    ["application/jsonx", 415],
    ["application/json;charset=utf-8", 200],
    ["APPLICATION/JSON", 200],
  ])("a body of type %p: %p", async (type, status) => {
    const headers = { "content-type": type };
    expect((await postRpc(hub.url, ada.token, call, headers)).status).toBe(status);
  });

  test("a compressed body, which grows after it was measured: 415", async () => {
    const response = await fetch(`${hub.url}/mcp`, {
      method: "POST",
      headers: {
        authorization: `Bearer ${ada.token}`,
        "content-type": "application/json",
        "content-encoding": "gzip",
      },
      body: Bun.gzipSync(padded(64 * 1024)),
    });
    expect(response.status).toBe(415);
  });

  test("bytes that are no UTF-8: a parse error", async () => {
    const body = Buffer.from(call.replace("hub_list", "hub_\xfclist"), "latin1");
    const headers = [...toHeaders(), `Content-Length: ${body.length}`];
    const head = Buffer.from(toRequest(post, headers));
    const { answers } = await exchange(Buffer.concat([head, body]));
    expect(answers).toMatchObject([{ status: 400 }]);
    expect(JSON.parse(answers[0]?.body ?? "")).toMatchObject({ id: null, error: { code: -32700 } });
  });
});

/**
 * A proxy and the hub that read the ends of a request differently would let one client's bytes
 * become another's request.
 */
describe("request smuggling: what is ambiguous is refused, and ends the connection", () => {
  const chunkedBody = `${call.length.toString(16)}\r\n${call}\r\n0\r\n\r\n`;
  const chunked = "Transfer-Encoding: chunked";

  test.each<[string, string[], string]>([
    ["two lengths, the right one first", [ownLength, "Content-Length: 5"], call],
    ["two lengths, the right one last", ["Content-Length: 5", ownLength], call],
    ["a list of lengths", [`${ownLength}, ${call.length}`], call],
    ["a length with a sign", [`Content-Length: +${call.length}`], call],
    ["a negative length", ["Content-Length: -1"], call],
    ["a length in hex", ["Content-Length: 0x10"], call],
    ["a length beyond 2^64", ["Content-Length: 18446744073709551656"], call],
    ["an empty length", ["Content-Length:"], call],
    ["a space before the colon", [ownLength.replace(":", " :")], call],
    ["a length and chunks", [ownLength, chunked], chunkedBody],
    ["chunks and a length", [chunked, "Content-Length: 4"], chunkedBody],
    ["two codings", [chunked, "Transfer-Encoding: identity"], chunkedBody],
    ["a coding that only looks like chunks", ["Transfer-Encoding: xchunked"], chunkedBody],
    ["chunks that are not the last coding", ["Transfer-Encoding: chunked, gzip"], chunkedBody],
    ["a coding after a control character", ["Transfer-Encoding: \x0bchunked"], chunkedBody],
    ["a chunk size that is no number", [chunked], `zz\r\n${call}\r\n0\r\n\r\n`],
    ["a negative chunk size", [chunked], `-10\r\n${call}\r\n0\r\n\r\n`],
    ["a chunk size beyond 2^64", [chunked], `fffffffffffffffff\r\n${call}\r\n0\r\n\r\n`],
    ["a chunk longer than it says", [chunked], `5\r\n${call}\r\n0\r\n\r\n`],
    ["chunks with bare line feeds", [chunked], chunkedBody.replaceAll("\r\n", "\n")],
    ["a chunk with a long extension", [chunked], `5;${"x".repeat(100_000)}\r\n`],
    ["a folded header", ["X-Folded: a\r\n b", ownLength], call],
    ["a NUL in a header", ["X-Nul: a\0b", ownLength], call],
    ["a header without a colon", ["X-Colonless", ownLength], call],
    ["a header without a name", [": a", ownLength], call],
    ["a header name with a space", ["X Space: a", ownLength], call],
    ["a header of 20 KiB", [`X-Long: ${"x".repeat(20_000)}`, ownLength], call],
    ["300 headers", [...Array(300).keys()].map((id) => `X-${id}: a`).concat(ownLength), call],
  ])("%s", async (_, headers, body) => {
    const before = countRuns();
    // What is behind the request would be the next one, for whoever misreads its end.
    const smuggled = toRequest(post, [...toHeaders(), ownLength], call);
    const { answers, isGood } = await exchange(
      toRequest(post, [...toHeaders(), ...headers], body + smuggled),
    );
    expect(answers).toHaveLength(1);
    expect([400, 413, 431]).toContain(answers[0]?.status ?? 0);
    expect([isGood, countRuns()]).toEqual([false, before]);
  });

  test.each([
    ["lines that end in a bare line feed", `POST /mcp HTTP/1.1\nHost: x\n\n`],
    ["no Host", toRequest(post, [ownLength], call)],
    ["a version that does not exist", toRequest("POST /mcp HTTP/1.2", [ownLength], call)],
    ["HTTP/0.9", "GET /mcp\r\n"],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["TLS", Buffer.from("16030100c8010000c40303", "hex")],
    ["noise", Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7919) % 256))],
  ])("%s", async (_, bytes) => {
    const { answers, isGood } = await exchange(bytes);
    expect([400, 505]).toContain(answers[0]?.status ?? 0);
    expect([answers.length, isGood]).toEqual([1, false]);
  });

  test("a method that does not exist ends the connection without a word", async () => {
    const { answers, isGood } = await exchange(toRequest("POSTPOST /mcp HTTP/1.1", toHeaders()));
    expect([answers, isGood]).toEqual([[], false]);
  });

  test("an upgrade to another protocol is not taken", async () => {
    const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
    const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    const { answers } = await exchange(
      toRequest("GET /mcp HTTP/1.1", [...toHeaders(), ...upgrade, key]),
    );
    expect(answers).toMatchObject([{ status: 405 }]);
  });

  test("requests sent ahead are answered in their order, or not at all", async () => {
    await using raw = await openRaw(hub.port);
    const messages = [1, 2, 3].map((id) => JSON.stringify(toToolCall("hub_info", {}, id)));
    const requests = messages.map((message) =>
      toRequest(post, [...toHeaders(), `Content-Length: ${message.length}`], message),
    );
    raw.send(requests.join(""));
    raw.socket.end();
    const ids: unknown[] = [];
    for (let next = await raw.answer(); next !== null; next = await raw.answer()) {
      ids.push(JSON.parse(next.body).id);
    }
    expect(ids).toEqual([1, 2, 3].slice(0, ids.length));
  });
});

test("what names itself at length is on record in short", async () => {
  const headers = { "user-agent": "x".repeat(8_000), "x-forwarded-for": "198.51.100.1" };
  await postRpc(hub.url, ada.token, toToolCall("hub_list", {}), headers);
  const run = readAudit(hub.dataDir).findLast(({ operation_key: key }) => key === "hub_list");
  expect(run).toMatchObject({ user_agent: "x".repeat(400), ip_address: "127.0.0.1" });
});

test("all of it together leaves a handful of lines in the log, and no token in any", async () => {
  const lines = hub.stderr().split("\n").filter(Boolean);
  expect(lines.length).toBeLessThan(20);
  expect(hub.stderr()).not.toContain(ada.token);
});
