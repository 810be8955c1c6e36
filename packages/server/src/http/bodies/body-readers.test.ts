import { describe, expect, test } from "bun:test";
import { setImmediate } from "node:timers/promises";
import { ada } from "../../mcp/testing/open-test-mcp.ts";
import { until } from "../../mcp/testing/until.ts";
import { mcpRequest, openTestApp, ping } from "../testing/open-test-app.ts";
import { createIncomingBodies } from "./incoming-bodies.ts";

const bytesMax = 4 * 1024 * 1024;

/** A message of exactly `bytes` bytes. */
function messageOf(bytes: number): string {
  const [head, tail] = ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"', '"}}'];
  return head + "x".repeat(bytes - head.length - tail.length) + tail;
}

/** A body without Content-Length. */
function chunked(text: string): RequestInit {
  const body = new ReadableStream({
    start(controller) {
      for (let start = 0; start < text.length; start += 65_536) {
        controller.enqueue(new TextEncoder().encode(text.slice(start, start + 65_536)));
      }
      controller.close();
    },
  });
  return { body };
}

function announced(text: string): RequestInit {
  return { body: text, headers: { "content-length": String(text.length) } };
}

describe.each([
  ["announced", announced],
  ["chunked", chunked],
] as const)("a body that is %s", (_how, toInit) => {
  test("A body of 4 MiB is accepted", async () => {
    const { app } = openTestApp();
    expect((await app.request(mcpRequest(toInit(messageOf(bytesMax))))).status).toBe(200);
  });

  test("A body of 4 MiB and one byte is refused (memory exhaustion)", async () => {
    const { app } = openTestApp();
    const response = await app.request(mcpRequest(toInit(messageOf(bytesMax + 1))));
    expect(response.status).toBe(413);
    expect(response.headers.get("connection")).toBe("close");
    expect(await response.json()).toEqual({ error: expect.any(String), code: "body_too_large" });
  });
});

test("A body with a Content-Length above the limit is not read", async () => {
  const { app } = openTestApp();
  let pulls = 0;
  const source = {
    pull() {
      pulls += 1;
    },
  };
  const body = new ReadableStream(source, { highWaterMark: 0 });
  const headers = { "content-length": String(bytesMax + 1) };
  const response = await app.request(mcpRequest({ body, headers }));
  expect([response.status, pulls]).toEqual([413, 0]);
});

test("An incomplete body gets 400 and is not logged as a failure", async () => {
  const { app, failures } = openTestApp();
  const body = new ReadableStream({ start: (controller) => controller.error(new Error("gone")) });
  const response = await app.request(mcpRequest({ body }));
  expect([response.status, failures]).toEqual([400, []]);
});

test("Characters that are split between chunks are decoded", async () => {
  const { app } = openTestApp();
  const bytes = new TextEncoder().encode('{"jsonrpc":"2.0","id":"ü😀","method":"ping"}');
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  const response = await app.request(mcpRequest({ body }));
  expect(await response.json()).toMatchObject({ id: "ü😀" });
});

test("A body that arrives too slowly is refused and the connection closed", async () => {
  const { app, timers, failures } = openTestApp();
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode("{")),
  });
  const answer = app.request(mcpRequest({ body }));
  await until(() => timers.pending() > 0);
  timers.advance(25_000);
  const response = await answer;
  expect([response.status, response.headers.get("connection")]).toEqual([408, "close"]);
  expect(await response.json()).toEqual({ error: expect.any(String), code: "body_too_slow" });
  expect([timers.pending(), failures]).toEqual([0, []]);
});

test("Bytes that are not UTF-8 are a parse error", async () => {
  const { app, rows } = openTestApp();
  const body = Buffer.from(
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xfc"}}',
    "latin1",
  );
  const response = await app.request(mcpRequest({ body }));
  expect([response.status, rows]).toEqual([400, []]);
  expect(await response.json()).toMatchObject({ id: null, error: { code: -32700 } });
});

test("A byte order mark is ignored", async () => {
  const { app } = openTestApp();
  const response = await app.request(mcpRequest({ body: `\ufeff${ping}` }));
  expect(response.status).toBe(200);
});

describe("many bodies at once", () => {
  const mebibyte = 1024 * 1024;
  const authenticate = async (sent: string) => ({ ...ada, userId: sent });
  const as = (user: string) => ({ authorization: `Bearer ${user}` });
  /** Waits until everything sent has been read. */
  const flush = () => setImmediate();

  /** A body of which `arrives` bytes arrive and which never ends. */
  function begin(
    { app }: ReturnType<typeof openTestApp>,
    { user, arrives, announces }: { user: string; arrives: number; announces?: number },
  ) {
    const body = new ReadableStream({
      start: (controller) => {
        if (arrives > 0) controller.enqueue(new Uint8Array(arrives).fill(32));
      },
    });
    const headers = new Headers(as(user));
    if (announces !== undefined) headers.set("content-length", String(announces));
    return app.request(mcpRequest({ body, headers }));
  }

  test("Bodies that are announced but not sent do not block any sender", async () => {
    const opened = openTestApp({ authenticate });
    const bodies = Array.from({ length: 200 }, () =>
      begin(opened, { user: "mallory", arrives: 1, announces: bytesMax }),
    );
    await until(() => opened.timers.pending() === 200);
    await flush();
    for (const user of ["mallory", "bob"]) {
      const whole = mcpRequest({ ...announced(messageOf(bytesMax)), headers: as(user) });
      expect((await opened.app.request(whole)).status).toBe(200);
    }
    opened.timers.advance(25_000);
    for (const body of bodies) expect((await body).status).toBe(408);
  });

  test("Received bytes count for their own user only, until the body ends", async () => {
    const opened = openTestApp({ authenticate });
    const { app, timers } = opened;
    const bodies = Array.from({ length: 16 }, () =>
      begin(opened, { user: "mallory", arrives: bytesMax }),
    );
    await until(() => timers.pending() === 16);
    await flush();
    const refused = await begin(opened, { user: "mallory", arrives: 1 });
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: "rate_limited" }]);
    const short = mcpRequest({ headers: as("mallory"), ...announced(ping) });
    expect((await app.request(short)).status).toBe(200);
    const other = mcpRequest({ ...announced(messageOf(bytesMax)), headers: as("bob") });
    expect((await app.request(other)).status).toBe(200);

    timers.advance(25_000 + bytesMax / 32);
    for (const body of bodies) expect((await body).status).toBe(408);
    const later = mcpRequest({ ...announced(messageOf(bytesMax)), headers: as("mallory") });
    expect((await app.request(later)).status).toBe(200);
  });

  test("One more user can send a body when others have used up the limit", () => {
    const incoming = createIncomingBodies({
      allBytesMax: 256 * mebibyte,
      ownBytesMax: 64 * mebibyte,
    });
    for (let user = 0; user < 40; user += 1) {
      const counter = incoming.open(`user ${user}`);
      for (let part = 0; part < 64; part += 1) {
        try {
          counter.add(mebibyte);
        } catch {
          break;
        }
      }
    }
    const late = incoming.open("late");
    expect(() => late.add(bytesMax)).not.toThrow();
    late.close();
    expect(() => incoming.open("user 0").add(1)).toThrow(/received together have more than/);
  });
});

test("A large body of a slow client is accepted as long as it keeps the minimum rate", async () => {
  const { app, timers } = openTestApp();
  const text = messageOf(bytesMax);
  let feed = (_bytes: Uint8Array | null) => {};
  const body = new ReadableStream({
    start(controller) {
      feed = (bytes) => (bytes === null ? controller.close() : controller.enqueue(bytes));
    },
  });
  const answer = app.request(mcpRequest({ body }));
  await until(() => timers.pending() > 0);
  // 40 kB per second: 105 s in all.
  for (let start = 0; start < text.length; start += 40_000) {
    feed(new TextEncoder().encode(text.slice(start, start + 40_000)));
    await setImmediate();
    timers.advance(1000);
  }
  feed(null);
  expect((await answer).status).toBe(200);
  expect(timers.pending()).toBe(0);
});

describe("forms and /oauth", () => {
  const send = (path: string, body: string) => {
    const { app } = openTestApp();
    const headers = {
      host: "localhost:7420",
      "content-type": "application/x-www-form-urlencoded",
      "sec-fetch-site": "same-origin",
      // A browser without a token is refused before its body is read.
      cookie: `__Host-hub_form=${"a".repeat(22)}; __Secure-hub_form=${"a".repeat(22)}`,
    };
    return app.request(`http://localhost:7420${path}`, { method: "POST", headers, body });
  };
  for (const path of ["/auth/login", "/auth/password", "/oauth/token", "/oauth/register"]) {
    test(`A body for ${path} may have at most 64 KiB`, async () => {
      expect((await send(path, `a=${"x".repeat(64 * 1024 - 2)}`)).status).not.toBe(413);
      expect((await send(path, `a=${"x".repeat(64 * 1024 - 1)}`)).status).toBe(413);
    });
  }
});
