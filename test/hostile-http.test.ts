/**
 * Malformed and malicious HTTP requests: each gets an error or its connection is closed, no call runs, and
 * an earlier client is still served.
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
import { nightlyTest } from "@hub/server/lib/testing/nightly-test.ts";
import { readAudit } from "./support/audit.ts";
import { connectHttp } from "./support/connect-sdk-1.ts";
import type { TestClient } from "./support/mcp-client.ts";
import { openRaw, type RawAnswer, toRequest } from "./support/raw-http.ts";
import { postRpc, toToolCall } from "./support/rpc.ts";
import { type RunningHub, startHub, type TestUser } from "./support/start-hub.ts";

setDefaultTimeout(180_000);

const main = join(import.meta.dirname, "support/hostile-hub.ts");
const bodyBytesMax = 4 * 1024 * 1024;
const owned = new AsyncDisposableStack();
let hub: RunningHub;
let ada: TestUser;
/** A client that is connected during all tests, and must be served after each. */
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

/** The headers of a valid call. */
function toHeaders(token = ada.token): string[] {
  return [
    `Host: localhost:${hub.port}`,
    `Authorization: Bearer ${token}`,
    "Content-Type: application/json",
  ];
}

const ownLength = `Content-Length: ${call.length}`;
const post = "POST /mcp HTTP/1.1";

/** Sends bytes. Returns the answers, and whether the connection is still usable after them. */
async function exchange(bytes: string | Uint8Array) {
  await using raw = await openRaw(hub.port);
  raw.send(bytes);
  const answers: RawAnswer[] = [];
  const first = await raw.answer();
  if (first !== null) answers.push(first);
  // If the connection is still usable, the hub answers this request and closes it.
  const probe = toRequest("GET /health HTTP/1.1", ["Host: localhost", "Connection: close"]);
  raw.send(probe);
  for (let next = await raw.answer(); next !== null; next = await raw.answer()) answers.push(next);
  const isGood = answers.at(-1)?.body === '{"status":"ok"}';
  return { answers: isGood ? answers.slice(0, -1) : answers, isGood };
}

function countRuns(): number {
  return readAudit(hub.dataDir).filter(({ operation_key: key }) => key === "hub_list").length;
}

test("The valid request that the tests change succeeds", async () => {
  const before = countRuns();
  const { answers, isGood } = await exchange(toRequest(post, [...toHeaders(), ownLength], call));
  expect(answers).toMatchObject([{ status: 200 }]);
  expect([isGood, countRuns()]).toEqual([true, before + 1]);
});

describe("Requests without a valid token", () => {
  const postMcp = (headers: Record<string, string>, path = "/mcp") =>
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
    ["only a scheme", { authorization: "Bearer" }],
    ["two tokens", { authorization: "Bearer a b" }],
    ["an empty header", { authorization: "" }],
  ])("A request without a bearer token gets a challenge: %s", async (_, headers) => {
    const before = countRuns();
    await expectRefused(await postMcp(headers), false);
    expect(countRuns()).toBe(before);
  });

  test.each([
    ["unknown", `hub_pat_${"0".repeat(32)}`],
    ["of another kind", "sk-0123456789"],
    ["far too long", "x".repeat(10_000)],
    ["made of SQL", "'or'1'='1"],
    ["not ASCII", "hub_pat_\u00e4\u00f6\u00fc"],
  ])("A token that is %s gets the error invalid_token", async (_, token) => {
    const before = countRuns();
    await expectRefused(await postMcp({ authorization: `Bearer ${token}` }), true);
    expect(countRuns()).toBe(before);
  });

  test("A token is refused in another case, truncated or extended", async () => {
    for (const token of [ada.token.toUpperCase(), ada.token.slice(0, -1), `${ada.token}0`]) {
      await expectRefused(await postMcp({ authorization: `Bearer ${token}` }), true);
    }
  });

  test("A revoked token is refused at the next request", async () => {
    const { token, tokenId } = await hub.addUser("revoked@example.com");
    expect((await postMcp({ authorization: `Bearer ${token}` })).status).toBe(200);
    await hub.cli("token", "revoke", tokenId);
    await expectRefused(await postMcp({ authorization: `Bearer ${token}` }), true);
  });

  test("A disabled user's token is refused at the next request", async () => {
    const { email, token } = await hub.addUser("disabled@example.com");
    expect((await postMcp({ authorization: `Bearer ${token}` })).status).toBe(200);
    await hub.cli("user", "disable", email);
    await expectRefused(await postMcp({ authorization: `Bearer ${token}` }), true);
  });

  test("A token in the query is ignored", async () => {
    await expectRefused(await postMcp({}, `/mcp?access_token=${ada.token}`), false);
  });

  test.each([
    "GET",
    "DELETE",
    "PUT",
    "HEAD",
    "OPTIONS",
    "TRACE",
  ])("An unauthenticated %s gets 401, not 405", async (method) => {
    await using raw = await openRaw(hub.port);
    raw.send(toRequest(`${method} /mcp HTTP/1.1`, [`Host: localhost:${hub.port}`]));
    raw.socket.end();
    expect((await raw.answer({ isHead: method === "HEAD" }))?.status).toBe(401);
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
  ])("No variant of the path bypasses the token check: %s", async (path) => {
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
  ])("A foreign Host gets 403 (attack: DNS rebinding): %p", async (host) => {
    const headers = [`Host: ${host}`, ...toHeaders().slice(1), ownLength];
    const { answers } = await exchange(toRequest(post, headers, call));
    expect(answers).toMatchObject([{ status: 403 }]);
    expect(JSON.parse(answers[0]?.body ?? "")).toMatchObject({ code: "forbidden" });
  });

  test("Two Host headers get 403 in either order", async () => {
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
  ])("A foreign Origin gets 403: %s", async (origin) => {
    const response = await postRpc(hub.url, ada.token, toToolCall("hub_list", {}), { origin });
    expect(response.status).toBe(403);
    expect(await response.json()).toMatchObject({ code: "forbidden" });
  });

  test("Answers have no CORS headers for a page of another site", async () => {
    const response = await fetch(`${hub.url}/mcp`, {
      method: "OPTIONS",
      headers: { origin: "https://evil.example", "access-control-request-method": "POST" },
    });
    expect(response.status).toBe(403);
    expect([...response.headers.keys()].filter((name) => name.startsWith("access-"))).toEqual([]);
  });
});

describe("Size, type and encoding of a body", () => {
  const padded = (bytes: number) => `${call}${" ".repeat(bytes - call.length)}`;

  test("A body of 4 MiB is accepted, and one byte more gets 413", async () => {
    const fits = await postRpc(hub.url, ada.token, padded(bodyBytesMax));
    expect(fits.status).toBe(200);
    const answer = await postRpc(hub.url, ada.token, padded(bodyBytesMax + 1));
    expect(answer.status).toBe(413);
    expect(await answer.json()).toMatchObject({ code: "body_too_large" });
  });

  nightlyTest("A large Content-Length gets 413 before the body is read", async () => {
    const headers = [...toHeaders(), "Content-Length: 999999999999"];
    const { answers } = await exchange(toRequest(post, headers));
    expect(answers).toMatchObject([{ status: 413, headers: { connection: "close" } }]);
  });

  test("A chunked body over the limit gets 413", async () => {
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
  ])("A body of type %p gets %p", async (type, status) => {
    const headers = { "content-type": type };
    expect((await postRpc(hub.url, ada.token, call, headers)).status).toBe(status);
  });

  test("A compressed body gets 415 (attack: decompression bomb)", async () => {
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

  test("A body with invalid UTF-8 gets a parse error", async () => {
    const body = Buffer.from(call.replace("hub_list", "hub_\xfclist"), "latin1");
    const headers = [...toHeaders(), `Content-Length: ${body.length}`];
    const head = Buffer.from(toRequest(post, headers));
    const { answers } = await exchange(Buffer.concat([head, body]));
    expect(answers).toMatchObject([{ status: 400 }]);
    expect(JSON.parse(answers[0]?.body ?? "")).toMatchObject({ id: null, error: { code: -32700 } });
  });
});

/**
 * Attack: if a proxy and the hub disagree about the end of a request, one client's bytes become
 * another client's request.
 */
describe("Request smuggling", () => {
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
    ["a coding with the suffix chunked", ["Transfer-Encoding: xchunked"], chunkedBody],
    ["chunked before another coding", ["Transfer-Encoding: chunked, gzip"], chunkedBody],
    ["a coding after a control character", ["Transfer-Encoding: \x0bchunked"], chunkedBody],
    ["a chunk size that is not a number", [chunked], `zz\r\n${call}\r\n0\r\n\r\n`],
    ["a negative chunk size", [chunked], `-10\r\n${call}\r\n0\r\n\r\n`],
    ["a chunk size beyond 2^64", [chunked], `fffffffffffffffff\r\n${call}\r\n0\r\n\r\n`],
    ["a chunk longer than its size", [chunked], `5\r\n${call}\r\n0\r\n\r\n`],
    ["chunks with bare line feeds", [chunked], chunkedBody.replaceAll("\r\n", "\n")],
    ["a chunk with a long extension", [chunked], `5;${"x".repeat(100_000)}\r\n`],
    ["a folded header", ["X-Folded: a\r\n b", ownLength], call],
    ["a NUL in a header", ["X-Nul: a\0b", ownLength], call],
    ["a header without a colon", ["X-Colonless", ownLength], call],
    ["a header without a name", [": a", ownLength], call],
    ["a header name with a space", ["X Space: a", ownLength], call],
    ["a header of 20 KiB", [`X-Long: ${"x".repeat(20_000)}`, ownLength], call],
    ["300 headers", [...Array(300).keys()].map((id) => `X-${id}: a`).concat(ownLength), call],
  ])("An ambiguous request is refused, and its connection is closed: %s", async (_, headers, body) => {
    const before = countRuns();
    // A second request follows. It would run if the hub misread the end of the first.
    const smuggled = toRequest(post, [...toHeaders(), ownLength], call);
    const { answers, isGood } = await exchange(
      toRequest(post, [...toHeaders(), ...headers], body + smuggled),
    );
    expect(answers).toHaveLength(1);
    expect([400, 413, 431]).toContain(answers[0]?.status ?? 0);
    expect([isGood, countRuns()]).toEqual([false, before]);
  });

  test.each([
    ["lines with a bare line feed", `POST /mcp HTTP/1.1\nHost: x\n\n`],
    ["no Host", toRequest(post, [ownLength], call)],
    ["an unknown HTTP version", toRequest("POST /mcp HTTP/1.2", [ownLength], call)],
    ["HTTP/0.9", "GET /mcp\r\n"],
    ["HTTP/2", "PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n"],
    ["TLS", Buffer.from("16030100c8010000c40303", "hex")],
    ["random bytes", Buffer.from(Array.from({ length: 5_000 }, (_, at) => (at * 7919) % 256))],
  ])("Bytes that are not a valid HTTP/1.1 request are refused, and the connection is closed: %s", async (_, bytes) => {
    const { answers, isGood } = await exchange(bytes);
    expect([400, 505]).toContain(answers[0]?.status ?? 0);
    expect([answers.length, isGood]).toEqual([1, false]);
  });

  test("An unknown method closes the connection without an answer", async () => {
    const { answers, isGood } = await exchange(toRequest("POSTPOST /mcp HTTP/1.1", toHeaders()));
    expect([answers, isGood]).toEqual([[], false]);
  });

  test("An upgrade to WebSocket gets 405", async () => {
    const upgrade = ["Connection: Upgrade", "Upgrade: websocket", "Sec-WebSocket-Version: 13"];
    const key = "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==";
    const { answers } = await exchange(
      toRequest("GET /mcp HTTP/1.1", [...toHeaders(), ...upgrade, key]),
    );
    expect(answers).toMatchObject([{ status: 405 }]);
  });

  test("Pipelined requests are answered in order or not at all", async () => {
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

test("A long User-Agent is truncated in the run", async () => {
  const headers = { "user-agent": "x".repeat(8_000), "x-forwarded-for": "198.51.100.1" };
  await postRpc(hub.url, ada.token, toToolCall("hub_list", {}), headers);
  const run = readAudit(hub.dataDir).findLast(({ operation_key: key }) => key === "hub_list");
  expect(run).toMatchObject({ user_agent: "x".repeat(400), ip_address: "127.0.0.1" });
});

test("The log of all these requests has few lines and no token", async () => {
  const lines = hub.stderr().split("\n").filter(Boolean);
  expect(lines.length).toBeLessThan(20);
  expect(hub.stderr()).not.toContain(ada.token);
});
