import type { OutboundPolicy } from "@hub/connector";
import type { Invocation } from "../../connectors/connector-port.ts";

type CallOptions = {
  operation?: string;
  params?: Invocation["params"];
  config?: Invocation["config"];
  widget?: Invocation["widget"];
  signal?: AbortSignal;
  outbound?: OutboundPolicy;
  idempotencyKey?: string;
  onProgress?(): void;
  attach?: Invocation["attach"];
};

/** A call of the fixture connector, and the events that it sent, in order. */
export function createTestCall(options: CallOptions): { call: Invocation; received: unknown[][] } {
  const received: unknown[][] = [];
  const receive =
    (what: string) =>
    (...sent: unknown[]) => {
      // An omitted argument may arrive as undefined, which means the same.
      received.push([what, ...sent.filter((value) => value !== undefined)]);
    };
  const progress = receive("progress");
  const call: Invocation = {
    rowId: "00000000-0000-4000-8000-00000000000f",
    connectionId: null,
    operation: options.operation ?? "echo",
    params: options.params ?? {},
    ...(options.widget && { widget: options.widget }),
    ...(options.idempotencyKey && { idempotencyKey: options.idempotencyKey }),
    config: options.config ?? {
      base_url: "https://fixture.test",
      api_token: "token-of-the-row",
      mode: "fast",
      retries: 3,
      ratio: 0.5,
      strict: true,
    },
    signal: options.signal ?? new AbortController().signal,
    caller: {
      userId: "00000000-0000-4000-8000-000000000000",
      email: "test@hub.test",
      name: "Test",
      role: "admin",
      tags: new Set(),
      tokenId: null,
    },
    runId: "run-1",
    secrets: [],
    memory: { take: () => null, takeArrived: () => true },
    outbound: options.outbound ?? { savedHosts: [], allow: [] },
    log: {
      debug: receive("debug"),
      info: receive("info"),
      warn: receive("warn"),
      error: receive("error"),
    },
    mask: receive("mask"),
    maskIgnoreCase: receive("maskIgnoreCase"),
    attach: options.attach ?? (() => ({ left_out: "The test takes no content blocks." })),
    recordHttpStatus: receive("httpStatus"),
    progress(...sent) {
      progress(...sent);
      options.onProgress?.();
    },
  };
  return { call, received };
}
