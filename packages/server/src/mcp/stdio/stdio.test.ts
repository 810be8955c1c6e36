import { describe, expect, test } from "bun:test";
import type { Caller } from "../../caller.ts";
import { metaKeys } from "../modes/protocol-versions.ts";
import { createHeldRun } from "../testing/held-run.ts";
import { ada, openTestMcp } from "../testing/open-test-mcp.ts";
import { execute, request } from "../testing/post-message.ts";
import { toFrame } from "../testing/read-reply.ts";
import { nextTurn, until } from "../testing/until.ts";

type Options = Parameters<typeof openTestMcp>[0] & { findCaller?: () => Promise<Caller | null> };

/** A client at the other end of two pipes. */
function connect({ findCaller = async () => ada, ...options }: Options = {}) {
  const { mcp, ...rest } = openTestMcp(options);
  const input = new TransformStream<Uint8Array, Uint8Array>();
  const typing = input.writable.getWriter();
  const stop = new AbortController();
  const lines: string[] = [];
  let isGone = false;
  const output = new WritableStream<Uint8Array>({
    write(chunk) {
      if (isGone) throw new Error("EPIPE");
      lines.push(...new TextDecoder().decode(chunk).split("\n").slice(0, -1));
    },
  });
  const served = mcp.serveStdio({ input: input.readable, output, findCaller, signal: stop.signal });
  return {
    ...rest,
    served,
    stop,
    lines,
    /** The frames that the hub wrote. */
    frames: () => lines.map(toFrame),
    type: (text: string) => typing.write(new TextEncoder().encode(text)),
    send: (message: unknown) =>
      typing.write(new TextEncoder().encode(`${JSON.stringify(message)}\n`)),
    /** Closes the input, as a client does when it leaves. */
    async closeInput() {
      await typing.close();
      await served;
    },
    stopReading() {
      isGone = true;
    },
  };
}

function cancelled(requestId: unknown) {
  return { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId } };
}

describe("framing", () => {
  test("Each request is answered on its own line", async () => {
    const client = connect();
    await client.send(request("ping", {}, 1));
    await client.send(request("ping", {}, "two"));
    await client.closeInput();
    expect(client.lines).toEqual([
      '{"jsonrpc":"2.0","id":1,"result":{}}',
      '{"jsonrpc":"2.0","id":"two","result":{}}',
    ]);
  });

  test("A chunk may contain part of a message or several messages", async () => {
    const client = connect();
    const text = JSON.stringify(request("ping"));
    for (const char of text) await client.type(char);
    await client.type(`\r\n\n${text}\n${text}\n`);
    await client.closeInput();
    expect(client.lines).toHaveLength(3);
  });

  test("A last message without a newline is answered", async () => {
    const client = connect();
    await client.type(JSON.stringify(request("ping")));
    await client.closeInput();
    expect(client.lines).toHaveLength(1);
  });

  test("A line of 3 MiB is accepted", async () => {
    const client = connect({ run: async (_ctx, { params }) => String(params.text).length });
    await client.send(execute({ text: "x".repeat(3 * 1024 * 1024) }));
    await client.closeInput();
    expect(client.frames()[0]?.result.content[0].text).toBe(String(3 * 1024 * 1024));
  });

  test("A line over 4 MiB is refused and skipped", async () => {
    const client = connect();
    await client.type("x".repeat(4 * 1024 * 1024));
    await client.type("x\n");
    await client.send(request("ping", {}, 2));
    await client.closeInput();
    expect(client.frames()).toMatchObject([
      { id: null, error: { code: -32600 } },
      { id: 2, result: {} },
    ]);
  });

  test("An invalid message is refused, and later ones are answered", async () => {
    const client = connect();
    await client.type('not json\n[]\n{"jsonrpc":"2.0","id":7}\n');
    await client.type(`${'{"a":'.repeat(100_000)}1${"}".repeat(100_000)}\n`);
    await client.send(request("ping", {}, 8));
    await client.closeInput();
    expect(client.frames()).toMatchObject([
      { id: null, error: { code: -32700 } },
      { id: null, error: { code: -32600 } },
      { id: 7, error: { code: -32600 } },
      { id: null, error: { code: -32600 } },
      { id: 8, result: {} },
    ]);
  });

  test("Notifications and responses get no answer", async () => {
    const client = connect();
    await client.send({ jsonrpc: "2.0", method: "notifications/initialized" });
    await client.send({ jsonrpc: "2.0", id: 1, result: {} });
    await client.closeInput();
    expect(client.lines).toEqual([]);
  });
});

describe("calls", () => {
  test("A long call delays neither ping nor other calls", async () => {
    const held = createHeldRun();
    const client = connect({ run: held.run });
    await client.send({ ...execute(), id: "long" });
    await held.started;
    await client.send(request("ping", {}, "short"));
    await until(() => client.lines.length === 1);
    held.end("done");
    await client.closeInput();
    expect(client.frames().map(({ id }) => id)).toEqual(["short", "long"]);
  });

  test("Progress of a call is sent between other messages, with the call's token", async () => {
    const held = createHeldRun();
    const client = connect({ run: held.run });
    await client.send(execute({}, { _meta: { progressToken: 5 } }));
    (await held.started).onProgress?.({ done: 1, total: 2 });
    await until(() => client.lines.length === 1);
    held.end("done");
    await client.closeInput();
    expect(client.frames()).toMatchObject([
      { method: "notifications/progress", params: { progressToken: 5, progress: 1, total: 2 } },
      { id: 1, result: {} },
    ]);
  });

  test("A cancelled call is recorded and not answered", async () => {
    const held = createHeldRun();
    const client = connect({ run: held.run });
    await client.send(execute({}, { _meta: { progressToken: 5 } }));
    const ctx = await held.started;
    await client.send(cancelled(1));
    await until(() => ctx.signal.aborted);
    ctx.onProgress?.({ done: 1 });
    await client.closeInput();
    expect(client.lines).toEqual([]);
    expect(client.rows).toMatchObject([{ outcome: "cancelled" }]);
  });

  test("A call can be cancelled by the next line", async () => {
    const held = createHeldRun();
    const client = connect({ run: held.run });
    await client.type(`${JSON.stringify(execute())}\n${JSON.stringify(cancelled(1))}\n`);
    await client.closeInput();
    expect(client.rows).toMatchObject([{ outcome: "cancelled" }]);
    expect(client.lines).toEqual([]);
  });

  test("A client cannot cancel another client's calls", async () => {
    const held = createHeldRun();
    const { mcp } = openTestMcp({ run: held.run });
    const encode = (message: unknown) => new TextEncoder().encode(`${JSON.stringify(message)}\n`);
    const written: string[] = [];
    const serve = (messages: unknown[]) =>
      mcp.serveStdio({
        input: new ReadableStream({
          start(controller) {
            for (const message of messages) controller.enqueue(encode(message));
            controller.close();
          },
        }),
        output: new WritableStream({
          write: (chunk) => void written.push(new TextDecoder().decode(chunk)),
        }),
        findCaller: async () => ada,
      });
    const first = serve([execute()]);
    const ctx = await held.started;
    await serve([cancelled(1)]);
    expect(ctx.signal.aborted).toBe(false);
    held.end("done");
    await first;
    expect(written).toHaveLength(1);
  });

  test("Calls are not read while the client accepts no answers", async () => {
    let runs = 0;
    const { mcp } = openTestMcp({
      async run() {
        runs += 1;
        return "x".repeat(512 * 1024);
      },
    });
    const gate = Promise.withResolvers<void>();
    let answers = 0;
    const calls = Array.from({ length: 30 }, (_, id) => ({ ...execute(), id }));
    const served = mcp.serveStdio({
      input: new ReadableStream<Uint8Array>({
        async pull(controller) {
          await nextTurn();
          const call = calls.shift();
          if (call === undefined) controller.close();
          else controller.enqueue(new TextEncoder().encode(`${JSON.stringify(call)}\n`));
        },
      }),
      output: new WritableStream({
        async write(chunk) {
          await gate.promise;
          answers += new TextDecoder().decode(chunk).split("\n").length - 1;
        },
      }),
      findCaller: async () => ada,
    });
    await until(() => runs >= 5);
    for (let turn = 0; turn < 200; turn += 1) await nextTurn();
    expect(runs).toBeLessThan(12);
    gate.resolve();
    await served;
    expect([runs, answers]).toEqual([30, 30]);
  });

  test("Calls that run when the input ends are finished first", async () => {
    const held = createHeldRun();
    const client = connect({ run: held.run });
    await client.send(execute());
    await held.started;
    const left = client.closeInput();
    held.end("done");
    await left;
    expect(client.frames()).toMatchObject([{ id: 1, result: {} }]);
  });

  test("Calls are cancelled when the reader of their answers has gone", async () => {
    const held = createHeldRun();
    const client = connect({ run: held.run });
    await client.send(execute());
    await held.started;
    client.stopReading();
    await client.send(request("ping", {}, 2));
    await client.served;
    expect(client.rows).toMatchObject([{ outcome: "cancelled" }]);
  });

  test("Calls are cancelled when the service is stopped", async () => {
    const held = createHeldRun();
    const client = connect({ run: held.run });
    await client.send(execute());
    await held.started;
    client.stop.abort();
    await client.served;
    expect(client.rows).toMatchObject([{ outcome: "cancelled" }]);
  });

  test("A service that was stopped before it began reads nothing", async () => {
    const { mcp } = openTestMcp();
    await mcp.serveStdio({
      input: new TransformStream<Uint8Array, Uint8Array>().readable,
      output: new WritableStream<Uint8Array>(),
      findCaller: async () => ada,
      signal: AbortSignal.abort(),
    });
  });

  test("Each call reads the user again, and a user who is no longer active gets an error", async () => {
    let current: Caller | null = ada;
    const client = connect({ findCaller: async () => current });
    await client.send({ ...execute(), id: 1 });
    await until(() => client.lines.length === 1);
    current = null;
    await client.send({ ...execute(), id: 2 });
    await client.closeInput();
    expect(client.frames()).toMatchObject([
      { id: 1, result: {} },
      { id: 2, error: {} },
    ]);
    expect(client.rows).toHaveLength(1);
  });

  test("Each call fails when the user cannot be looked up", async () => {
    const failure = new Error("database is locked");
    const client = connect({ findCaller: () => Promise.reject(failure) });
    await client.send(request("ping", {}, 1));
    await client.send(request("ping", {}, 2));
    await client.closeInput();
    expect(client.frames()).toMatchObject([
      { id: 1, error: { code: -32603 } },
      { id: 2, error: { code: -32603 } },
    ]);
    expect(client.lines.join()).not.toContain("locked");
    expect(client.errors).toHaveLength(2);
  });
});

describe("both protocol modes on one connection", () => {
  const meta = { [metaKeys.protocolVersion]: "2026-07-28", [metaKeys.clientCapabilities]: {} };

  test("A client that sends initialize gets plain results", async () => {
    const client = connect();
    await client.send(request("initialize", { protocolVersion: "2025-06-18" }));
    await client.send(request("tools/list", {}, 2));
    await client.closeInput();
    const [started, list] = client.frames();
    expect(started?.result.protocolVersion).toBe("2025-06-18");
    expect(list?.result).not.toHaveProperty("resultType");
  });

  test("A client that sends server/discover gets complete results, without any header", async () => {
    const client = connect();
    await client.send(request("server/discover", { _meta: meta }));
    await client.send(request("tools/call", { name: "hub_info", _meta: meta }, 2));
    await client.closeInput();
    expect(client.frames()).toMatchObject([
      { result: { supportedVersions: ["2026-07-28"] } },
      { result: { resultType: "complete", structuredContent: { hub_version: "1.2.3" } } },
    ]);
  });

  test("A probe without _meta gets an error with which the client falls back", async () => {
    const client = connect();
    await client.send(request("server/discover", {}));
    await client.closeInput();
    expect(client.frames()).toMatchObject([{ error: { code: -32601 } }]);
  });

  test("A call with an unknown version is refused and recorded", async () => {
    const client = connect();
    const unknown = { ...meta, [metaKeys.protocolVersion]: "2099-01-01" };
    await client.send(request("tools/call", { name: "hub_info", _meta: unknown }));
    await client.closeInput();
    expect(client.frames()).toMatchObject([{ error: { code: -32022 } }]);
    expect(client.rows).toMatchObject([{ outcome: "version_unsupported" }]);
  });
});
