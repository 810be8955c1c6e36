import { afterEach, describe, expect, test } from "bun:test";
import { connect, type Socket } from "node:net";
import { HubError } from "../errors.ts";
import { createManualTimers } from "../lib/time/manual-timers.ts";
import { createHeldRun } from "../mcp/testing/held-run.ts";
import { execute, postStateless } from "../mcp/testing/post-message.ts";
import { readEvents, readJson } from "../mcp/testing/read-reply.ts";
import { until } from "../mcp/testing/until.ts";
import type { Readiness } from "./readiness.ts";
import { createHttpServer, type HttpServer } from "./server.ts";
import { openTestApp, token } from "./testing/open-test-app.ts";

const open: Array<() => unknown> = [];

afterEach(async () => {
  for (const close of open.splice(0).reverse()) await close();
});

/** The server on a free loopback port, with fake operations. */
function serve(
  options: Parameters<typeof openTestApp>[0] = {},
  drain: Pick<Parameters<typeof createHttpServer>[0], "drainMs" | "timers"> = { drainMs: 0 },
) {
  let app = openTestApp(options);
  const server = createHttpServer({
    ...drain,
    host: "127.0.0.1",
    port: 0,
    createApp({ port, isStopping }) {
      const readiness: Readiness = {
        find: async () => (isStopping() ? "stopping" : null),
        isDamaged: () => false,
      };
      app = openTestApp({ ...options, port, readiness });
      return app.app;
    },
  });
  open.push(() => server.stop());
  return { server, app };
}

const headers = {
  authorization: `Bearer ${token}`,
  "content-type": "application/json",
  "user-agent": "socket test",
};

function post(
  server: HttpServer,
  message: unknown,
  init: { headers?: Record<string, string>; signal?: AbortSignal } = {},
): Promise<Response> {
  return fetch(`http://127.0.0.1:${server.port}/mcp`, {
    method: "POST",
    body: JSON.stringify(message),
    ...init,
    headers: { ...headers, ...init.headers },
  });
}

/** A connection that sends one message and reads on demand. */
function connectRaw(server: HttpServer, message: unknown): Socket {
  const body = JSON.stringify(message);
  const lines = [
    "POST /mcp HTTP/1.1",
    `host: localhost:${server.port}`,
    `content-length: ${Buffer.byteLength(body)}`,
    ...Object.entries(headers).map(([name, value]) => `${name}: ${value}`),
  ];
  const socket = connect(server.port, "127.0.0.1");
  open.push(() => socket.destroy());
  socket.write(`${lines.join("\r\n")}\r\n\r\n${body}`);
  return socket;
}

describe("createHttpServer", () => {
  test("With port 0 the server takes a free port and reports it", async () => {
    const { server } = serve();
    expect(server.port).toBeGreaterThan(0);
    expect((await fetch(`http://127.0.0.1:${server.port}/health`)).status).toBe(200);
  });

  test("Of requests that are sent without waiting for answers, few begin in one turn of the event loop", async () => {
    let begun = 0;
    let mostInTurn = 0;
    const fetch = () => {
      begun += 1;
      return new Response();
    };
    const createApp = () => ({ fetch });
    const server = createHttpServer({ host: "127.0.0.1", port: 0, drainMs: 0, createApp });
    open.push(() => server.stop());
    const socket = connect(server.port, "127.0.0.1");
    open.push(() => socket.destroy());
    let isOpen = true;
    socket.on("error", () => {});
    socket.on("close", () => {
      isOpen = false;
    });
    socket.resume();
    socket.write("GET / HTTP/1.1\r\nhost: localhost\r\n\r\n".repeat(10_000));
    while (isOpen && begun < 10_000) {
      const before = begun;
      await new Promise((resolve) => setImmediate(resolve));
      mostInTurn = Math.max(mostInTurn, begun - before);
    }
    expect(mostInTurn).toBeGreaterThan(0);
    expect(mostInTurn).toBeLessThanOrEqual(200);
    // Others are served as before.
    expect((await globalThis.fetch(`http://127.0.0.1:${server.port}/`)).status).toBe(200);
  });

  test("The error for a port in use says what to do", () => {
    const { server } = serve();
    const options = {
      host: "127.0.0.1",
      port: server.port,
      drainMs: 0,
      createApp: () => openTestApp().app,
    };
    expect(() => createHttpServer(options)).toThrow(HubError);
    expect(() => createHttpServer(options)).toThrow(/HUB_PORT/);
  });

  test("Stopping finishes running requests and accepts no new ones", async () => {
    const held = createHeldRun();
    const { server } = serve({ run: held.run });
    const answer = post(server, execute());
    await held.started;
    const stopped = server.stop();
    await expect(fetch(`http://127.0.0.1:${server.port}/health`)).rejects.toThrow();
    expect(Bun.peek.status(stopped)).toBe("pending");
    held.end("done");
    expect((await readJson(await answer)).result.content[0].text).toBe('"done"');
    await stopped;
  });

  test("A draining server serves requests, is not ready, and closes each connection", async () => {
    const timers = createManualTimers();
    const { server } = serve({}, { drainMs: 5000, timers });
    const read = async (path: string) => {
      const response = await fetch(`http://127.0.0.1:${server.port}${path}`);
      return [response.status, response.headers.get("connection")];
    };
    expect([await read("/ready"), await read("/health")]).toEqual([
      [200, null],
      [200, null],
    ]);
    const stopped = server.stop();
    expect([await read("/ready"), await read("/health")]).toEqual([
      [503, "close"],
      [200, "close"],
    ]);
    timers.advance(5000);
    await stopped;
    await expect(fetch(`http://127.0.0.1:${server.port}/health`)).rejects.toThrow();
  });
});

test("A call is recorded with the peer's address, not with that of a forwarding header", async () => {
  const origins: unknown[] = [];
  const { server } = serve({ run: async (ctx) => origins.push(ctx.origin) });
  await post(server, execute(), { headers: { "x-forwarded-for": "198.51.100.1" } });
  expect(origins).toEqual([{ source: "mcp", ip: "127.0.0.1", userAgent: "socket test" }]);
});

test("Progress arrives while the call is running", async () => {
  const held = createHeldRun();
  const { server } = serve({ run: held.run });
  const answer = post(server, execute({}, { _meta: { progressToken: 1 } }));
  (await held.started).onProgress?.({ done: 1 });
  const response = await answer;
  expect(response.headers.get("content-type")).toBe("text/event-stream");
  held.end("done");
  expect(await readEvents(response)).toMatchObject([{ params: { progress: 1 } }, { id: 1 }]);
});

test("An event stream opens before the first event", async () => {
  const held = createHeldRun();
  const { server } = serve({ run: held.run });
  const response = await post(server, execute(), { headers: { accept: "text/event-stream" } });
  expect(response.status).toBe(200);
  held.end("done");
  expect(await readEvents(response)).toHaveLength(1);
});

describe("a closed connection", () => {
  test("A closed connection in the session mode does not cancel the call, which is recorded", async () => {
    const held = createHeldRun();
    const { server, app } = serve({ run: held.run });
    const leaving = new AbortController();
    const answer = post(server, execute(), { signal: leaving.signal });
    const ctx = await held.started;
    leaving.abort();
    await expect(answer).rejects.toThrow();
    held.end("done");
    await until(() => app.rows.length > 0);
    expect([ctx.signal.aborted, app.rows[0]?.outcome]).toEqual([false, "success"]);
  });

  test.each([
    "application/json",
    "text/event-stream",
  ])("A closed connection in the stateless mode cancels the call, with %s", async (accept) => {
    const held = createHeldRun();
    const { server, app } = serve({ run: held.run });
    const leaving = new AbortController();
    const call = { name: "hub_execute", arguments: { tool_id: "x" } };
    const answer = postStateless(toSender(server, leaving.signal), "tools/call", call, {
      headers: { accept },
    });
    answer.then((response) => response.text()).catch(() => {});
    await held.started;
    leaving.abort();
    await until(() => app.rows.length > 0);
    expect(app.rows[0]?.outcome).toBe("cancelled");
  });

  test("After a connection closes during a stream, the server works and the call is recorded", async () => {
    const held = createHeldRun();
    const { server, app } = serve({ run: held.run });
    const socket = connectRaw(server, execute({}, { _meta: { progressToken: 1 } }));
    const ctx = await held.started;
    ctx.onProgress?.({ done: 1 });
    await new Promise((resolve) => socket.once("data", resolve));
    socket.resetAndDestroy();
    for (let done = 2; done < 100; done += 1) ctx.onProgress?.({ done });
    held.end("done");
    await until(() => app.rows.length > 0);
    expect(app.rows[0]?.outcome).toBe("success");
    expect((await fetch(`http://127.0.0.1:${server.port}/health`)).status).toBe(200);
  });
});

test("The hub buffers a bounded amount of progress for a client that does not read", async () => {
  const held = createHeldRun();
  const { server } = serve({ run: held.run });
  const reports = 5_000;
  const message = "x".repeat(10_000);
  const socket = connectRaw(server, execute({}, { _meta: { progressToken: 1 } }));
  const ctx = await held.started;
  socket.pause();
  for (let done = 1; done <= reports; done += 1) {
    ctx.onProgress?.({ done, message });
    if (done % 10 === 0) await new Promise((resolve) => setImmediate(resolve));
  }
  held.end("done");
  let text = "";
  socket.on("data", (chunk) => {
    text += chunk;
  });
  socket.resume();
  await until(() => text.endsWith("0\r\n\r\n"));
  const steps = [...text.matchAll(/"progress":(\d+)/g)].map(([, step]) => Number(step));
  expect(steps.length).toBeLessThan(reports / 2);
  expect(steps.at(-1)).toBe(reports);
  expect(text).toContain('"result"');
});

/** Adapts the helpers of the protocol's tests to a real server. */
function toSender(server: HttpServer, signal: AbortSignal) {
  return {
    answerPost: (message: { body: string | null; headers: Headers }) =>
      post(server, JSON.parse(message.body ?? ""), {
        headers: Object.fromEntries(message.headers),
        signal,
      }),
  };
}

describe("a refusal before the body was read", () => {
  const bytesMax = 4 * 1024 * 1024;
  const piece = Buffer.alloc(1024 * 1024, " ");

  /** A connection whose body is announced, but not sent yet. `text` is what arrived. */
  function announce(server: HttpServer, framing: string) {
    const socket = connect(server.port, "127.0.0.1");
    open.push(() => socket.destroy());
    const seen = { text: "", isEnded: false, failure: null as string | null };
    socket.on("data", (chunk) => {
      seen.text += chunk;
    });
    socket.on("end", () => {
      seen.isEnded = true;
    });
    socket.on("error", (err) => {
      seen.failure = err.message;
    });
    const lines = ["POST /mcp HTTP/1.1", `host: localhost:${server.port}`, framing];
    const given = Object.entries(headers).map(([name, value]) => `${name}: ${value}`);
    socket.write(`${[...lines, ...given].join("\r\n")}\r\n\r\n`);
    return { socket, seen };
  }

  const write = (socket: Socket, bytes: string | Buffer) =>
    new Promise<void>((resolve) => socket.write(bytes, () => resolve()));

  test("The answer is sent at once, and the connection is closed when the body has been sent", async () => {
    const { server } = serve();
    const { socket, seen } = announce(server, `content-length: ${5 * piece.length}`);
    await until(() => seen.text.includes("body_too_large"));
    expect(seen.text).toMatch(/^HTTP\/1.1 413 /);
    expect(seen.text).toMatch(/connection: close/i);
    for (let sent = 0; sent < 5; sent += 1) await write(socket, piece);
    await until(() => seen.isEnded);
    expect([seen.text.endsWith("0\r\n\r\n"), seen.failure]).toEqual([true, null]);
  });

  test("What exceeds the limit of a body without Content-Length is dropped", async () => {
    const { server } = serve();
    const { socket, seen } = announce(server, "transfer-encoding: chunked");
    const chunk = Buffer.concat([Buffer.from("100000\r\n"), piece, Buffer.from("\r\n")]);
    for (let sent = 0; sent < 8; sent += 1) await write(socket, chunk);
    await until(() => seen.text.includes("body_too_large"));
    expect(seen.isEnded).toBeFalse();
    await write(socket, "0\r\n\r\n");
    await until(() => seen.isEnded);
    expect(seen.failure).toBeNull();
  });

  test("The answer to a small body waits for it, and the connection stays open", async () => {
    const { server } = serve();
    const { socket, seen } = announce(server, "authorization: none\r\ncontent-length: 2");
    await write(socket, "{");
    await write(socket, "}");
    await until(() => seen.text.includes("unauthorized"));
    socket.write("GET /health HTTP/1.1\r\nhost: localhost\r\n\r\n");
    await until(() => seen.text.includes('{"status":"ok"}'));
    expect(seen.text).not.toMatch(/connection: close/i);
  });

  test("A sender that pauses or never ends is not waited for (exhausted connections)", async () => {
    const { server, app } = serve();
    const paused = announce(server, `content-length: ${bytesMax + 1}`);
    await until(() => paused.seen.text.includes("body_too_large"));
    expect(paused.seen.isEnded).toBeFalse();
    app.timers.advance(2_000);
    await until(() => paused.seen.isEnded);
    const endless = announce(server, "content-length: 99999999999");
    const flood = () => {
      while (!endless.socket.destroyed && endless.socket.write(piece));
    };
    endless.socket.on("drain", flood);
    flood();
    await until(() => endless.seen.isEnded || endless.socket.destroyed);
    expect(endless.seen.text).toMatch(/^HTTP\/1.1 413 /);
  });

  test("Of one area of networks, 32 connections are read on at once", async () => {
    const { server } = serve();
    const length = `content-length: ${bytesMax + 1}`;
    const waiting = Array.from({ length: 32 }, () => announce(server, length));
    await until(() => waiting.every(({ seen }) => seen.text.includes("body_too_large")));
    const next = announce(server, length);
    await until(() => next.seen.isEnded);
    expect(next.seen.text).toMatch(/^HTTP\/1.1 413 /);
    expect(waiting.filter(({ seen }) => seen.isEnded)).toEqual([]);
    waiting[0]?.socket.destroy();
    const isReadOn = async () => {
      const again = announce(server, length);
      await until(() => again.seen.text.includes("body_too_large"));
      await new Promise((resolve) => setImmediate(resolve));
      return !again.seen.isEnded && !again.seen.text.endsWith("}");
    };
    while (!(await isReadOn()));
  });
});
