import { expect, test } from "bun:test";
import { HubError } from "../errors.ts";
import { recordSpans } from "../lib/tracing/testing/record-spans.ts";
import type { ConnectorCall, Invocation, RegisteredConnector } from "./connector-port.ts";
import { traceConnector } from "./trace-connector.ts";

const traceparent = "00-connector";

function open(invoke: (call: Invocation) => Promise<unknown>, signal: AbortSignal) {
  const { tracing, spans } = recordSpans(traceparent);
  const recorded: number[] = [];
  const connector: RegisteredConnector = {
    key: "stub",
    name: "Stub",
    description: "",
    icon: "",
    tier: "builtin",
    configFields: [],
    operations: new Map(),
    invoke,
    health: async () => ({ ok: true }),
  };
  // Only these members are read.
  const call = {
    operation: "read",
    params: { word: "param" },
    config: { secret: "hunter2" },
    runId: "run",
    signal,
    recordHttpStatus: (status: number) => void recorded.push(status),
  } as unknown as Invocation & ConnectorCall;
  return { traced: traceConnector(connector, tracing), spans, call, recorded };
}

const { signal: never } = new AbortController();

test("A span names the connector, the operation and the run, and nothing of the call", async () => {
  const use = async (call: Invocation) => {
    call.recordHttpStatus(404);
    return call.trace;
  };
  const { traced, spans, call, recorded } = open(use, never);
  expect(await traced.invoke(call)).toEqual({ traceparent });
  expect(spans).toEqual([
    {
      name: "stub read",
      kind: "internal",
      attributes: {
        "hub.connector.key": "stub",
        "hub.operation.key": "read",
        "hub.run.id": "run",
      },
      set: { "http.response.status_code": 404 },
      failure: null,
      hasEnded: true,
    },
  ]);
  expect(recorded).toEqual([404]);
  expect(call.trace).toBeUndefined();
});

test("A failure has its code only, because its message is not sealed yet", async () => {
  const failures = [new HubError("upstream_error", "hunter2"), new Error("hunter2")];
  for (const failure of failures) {
    const { traced, spans, call } = open(() => Promise.reject(failure), never);
    await expect(traced.invoke(call)).rejects.toBe(failure);
    expect(JSON.stringify(spans)).not.toContain("hunter2");
    const code = failure instanceof HubError ? failure.code : "_OTHER";
    expect(spans[0]?.failure).toEqual({ code, message: undefined });
  }
});

test("A call that passes its time limit ends its span, although the connector goes on", async () => {
  const limit = new AbortController();
  const { promise, resolve } = Promise.withResolvers<unknown>();
  const { traced, spans, call } = open(() => promise, limit.signal);
  const running = traced.invoke(call);
  limit.abort(new HubError("timeout", "The operation took too long."));
  await new Promise((resolveTurn) => setImmediate(resolveTurn));
  expect(spans[0]).toMatchObject({ hasEnded: true, failure: { code: "timeout" } });
  resolve("late");
  expect(await running).toBe("late");
});

test("Health checks are traced, and a connector gets no function that it does not have", async () => {
  const { traced, spans, call } = open(async () => null, never);
  expect(await traced.health?.(call)).toEqual({ ok: true });
  expect(spans[0]?.name).toBe("stub hub.health");
  expect(traced.lookup).toBeUndefined();
});
