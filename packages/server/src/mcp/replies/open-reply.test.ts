import { describe, expect, test } from "bun:test";
import { createHeldRun } from "../testing/held-run.ts";
import { openTestMcp } from "../testing/open-test-mcp.ts";
import { execute, post, request } from "../testing/post-message.ts";
import { readEvents, readJson } from "../testing/read-reply.ts";

const either = { Accept: "application/json, text/event-stream" };
const patienceMs = 10_000;
const withToken = { _meta: { progressToken: "p" } };

function open() {
  const held = createHeldRun();
  return { held, ...openTestMcp({ run: held.run }) };
}

function typeOf(response: Response): string | null {
  return response.headers.get("content-type");
}

describe("JSON", () => {
  test.each([
    undefined,
    "*/*",
    "application/json",
    either.Accept,
  ])("A quick call gets a JSON reply if the client accepts %p", async (accept) => {
    const { mcp } = openTestMcp();
    const response = await post(mcp, execute(), { headers: accept ? { Accept: accept } : {} });
    expect(typeOf(response)).toBe("application/json");
    expect((await readJson(response)).id).toBe(1);
  });

  test("A client that accepts only JSON gets it for a long call too, and its connection is kept open", async () => {
    const { mcp, held, timers } = open();
    const line: string[] = [];
    const holdOpen = () => {
      line.push("held");
      return () => {
        line.push("let go");
      };
    };
    const response = post(mcp, execute(), { holdOpen });
    await held.started;
    timers.advance(patienceMs * 6);
    held.end("done");
    expect(typeOf(await response)).toBe("application/json");
    expect(line).toEqual(["held", "let go"]);
  });

  test("No timer is left after a reply", async () => {
    const { mcp, timers } = openTestMcp();
    await post(mcp, execute(), { headers: either });
    expect(timers.pending()).toBe(0);
  });
});

describe("an event stream", () => {
  test("A client that accepts only an event stream gets it at once", async () => {
    const { mcp, held } = open();
    const headers = { Accept: "text/event-stream" };
    const response = await post(mcp, execute(), { headers });
    expect(typeOf(response)).toBe("text/event-stream");
    held.end("done");
    expect(await readEvents(response)).toMatchObject([{ id: 1, result: {} }]);
  });

  test("A client that accepts only an event stream gets errors and quick answers as events too", async () => {
    const { mcp } = openTestMcp();
    const headers = { Accept: "text/event-stream" };
    const response = await post(mcp, request("tools/call", { name: "nope" }), { headers });
    expect(await readEvents(response)).toMatchObject([{ id: 1, error: { code: -32602 } }]);
  });

  test("A refusal with status 200 is sent as an event, any other refusal as JSON", async () => {
    const { mcp } = openTestMcp();
    const headers = { Accept: "text/event-stream" };
    const unknown = await post(mcp, request("no/such"), { headers });
    const wrong = await post(mcp, request("ping"), {
      headers: { ...headers, "MCP-Protocol-Version": "1" },
    });
    expect(await readEvents(unknown)).toMatchObject([{ id: 1, error: { code: -32601 } }]);
    expect([wrong.status, typeOf(wrong)]).toEqual([400, "application/json"]);
  });

  test("The event stream opens with the first progress report, whatever the client accepts", async () => {
    const { mcp, held } = open();
    const answer = post(mcp, execute({}, withToken), { headers: { Accept: "application/json" } });
    const ctx = await held.started;
    ctx.onProgress?.({ done: 1, total: 2, message: "half" });
    const response = await answer;
    expect(typeOf(response)).toBe("text/event-stream");
    expect(response.headers.get("x-accel-buffering")).toBe("no");
    const events = readEvents(response);
    held.end("done");
    expect<unknown>(await events).toEqual([
      {
        jsonrpc: "2.0",
        method: "notifications/progress",
        params: { progressToken: "p", progress: 1, total: 2, message: "half" },
      },
      {
        jsonrpc: "2.0",
        id: 1,
        result: {
          content: [{ type: "text", text: '"done"' }],
          structuredContent: { result: "done" },
        },
      },
    ]);
  });

  test("A client without a progress token gets only the result", async () => {
    const { mcp, held } = open();
    const answer = post(mcp, execute());
    (await held.started).onProgress?.({ done: 1 });
    const response = await answer;
    held.end("done");
    expect(await readEvents(response)).toMatchObject([{ id: 1 }]);
  });

  test("The event stream opens after 10 seconds if the client accepts one", async () => {
    const { mcp, held, timers } = open();
    const answer = post(mcp, execute(), { headers: either });
    await held.started;
    timers.advance(patienceMs - 1);
    await Promise.resolve();
    expect(Bun.peek.status(answer)).toBe("pending");
    timers.advance(1);
    const response = await answer;
    expect(typeOf(response)).toBe("text/event-stream");
    held.end("done");
    expect(await readEvents(response)).toMatchObject([{ id: 1 }]);
    expect(timers.pending()).toBe(0);
  });

  test("Keepalives are sent while the call reports nothing", async () => {
    const { mcp, held, timers } = open();
    const response = await post(mcp, execute(), { headers: { Accept: "text/event-stream" } });
    const text = response.text();
    timers.advance(15_000);
    held.end("done");
    expect(await text).toStartWith(":\n\n:keepalive\n\nevent: message\n");
  });

  test("No progress is sent after the result", async () => {
    const { mcp, held, timers } = open();
    const answer = post(mcp, execute({}, withToken));
    const ctx = await held.started;
    held.end("done");
    const response = await answer;
    ctx.onProgress?.({ done: 1 });
    expect(typeOf(response)).toBe("application/json");
    expect(timers.pending()).toBe(0);
  });
});
