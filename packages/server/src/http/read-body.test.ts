import { describe, expect, test } from "bun:test";
import { until } from "../mcp/testing/until.ts";
import { mcpRequest, openTestApp, ping } from "./testing/open-test-app.ts";

const bytesMax = 4 * 1024 * 1024;

/** A message of exactly so many bytes. */
function messageOf(bytes: number): string {
  const [head, tail] = ['{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"', '"}}'];
  return head + "x".repeat(bytes - head.length - tail.length) + tail;
}

/** A body that announces no length. */
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
  test("may have 4 MiB", async () => {
    const { app } = openTestApp();
    expect((await app.request(mcpRequest(toInit(messageOf(bytesMax))))).status).toBe(200);
  });

  test("may not have a byte more", async () => {
    const { app } = openTestApp();
    const response = await app.request(mcpRequest(toInit(messageOf(bytesMax + 1))));
    expect(response.status).toBe(413);
    expect(response.headers.get("connection")).toBe("close");
    expect(await response.json()).toEqual({ error: expect.any(String), code: "body_too_large" });
  });
});

test("a body too long by its own announcement is not read", async () => {
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

test("a body that breaks off is the client's fault and no entry in the log of failures", async () => {
  const { app, failures } = openTestApp();
  const body = new ReadableStream({ start: (controller) => controller.error(new Error("gone")) });
  const response = await app.request(mcpRequest({ body }));
  expect([response.status, failures]).toEqual([400, []]);
});

test("characters cut by the transport are put together again", async () => {
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

test("a body that trickles in is answered, and the connection closed", async () => {
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

test("bytes that are no UTF-8 are a parse error, not another text", async () => {
  const { app, rows } = openTestApp();
  const body = Buffer.from(
    '{"jsonrpc":"2.0","id":1,"method":"ping","params":{"a":"\xfc"}}',
    "latin1",
  );
  const response = await app.request(mcpRequest({ body }));
  expect([response.status, rows]).toEqual([400, []]);
  expect(await response.json()).toMatchObject({ id: null, error: { code: -32700 } });
});

test("a byte order mark is no part of the message", async () => {
  const { app } = openTestApp();
  const response = await app.request(mcpRequest({ body: `\ufeff${ping}` }));
  expect(response.status).toBe(200);
});

describe("many bodies on their way at once", () => {
  /** A body that has begun, and never ends by itself. */
  function begin({ app }: ReturnType<typeof openTestApp>, headers: Record<string, string>) {
    const body = new ReadableStream({
      start: (controller) => controller.enqueue(new Uint8Array(bytesMax - 1).fill(32)),
    });
    return app.request(mcpRequest({ body, headers }));
  }

  test.each([
    ["announced", { "content-length": String(bytesMax - 1) }],
    ["chunked", {}],
  ])("beyond 256 MiB one more is refused, until some are over: %s", async (_, headers) => {
    const opened = openTestApp();
    const { app, timers } = opened;
    const bodies = Array.from({ length: 64 }, () => begin(opened, headers));
    await until(() => timers.pending() === 64);
    const refused = await begin(opened, { "content-length": String(bytesMax - 1) });
    expect([refused.status, await refused.json()]).toMatchObject([429, { code: "rate_limited" }]);
    expect((await app.request(mcpRequest())).status).toBe(200);

    timers.advance(25_000);
    for (const body of bodies) expect((await body).status).toBe(408);
    const later = begin(opened, { "content-length": String(bytesMax - 1) });
    await until(() => timers.pending() === 1);
    timers.advance(25_000);
    expect((await later).status).toBe(408);
  });
});
