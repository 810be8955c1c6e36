import type { OutboundPolicy } from "@hub/connector";
import type { Invocation } from "../../connectors/connector-port.ts";

type CallOptions = {
  operation?: string;
  params?: Invocation["params"];
  config?: Invocation["config"];
  widget?: Invocation["widget"];
  signal?: AbortSignal;
  outbound?: OutboundPolicy;
  onProgress?(): void;
};

/** A call of the fixture connector, and what it told on its way, in order. */
export function createTestCall(options: CallOptions): { call: Invocation; heard: unknown[][] } {
  const heard: unknown[][] = [];
  const hear =
    (what: string) =>
    (...told: unknown[]) => {
      // What is left out arrives as such or as undefined; both are the same to whoever listens.
      heard.push([what, ...told.filter((value) => value !== undefined)]);
    };
  const progress = hear("progress");
  const call: Invocation = {
    operation: options.operation ?? "echo",
    params: options.params ?? {},
    ...(options.widget && { widget: options.widget }),
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
    space: { take: () => null, takeNow: () => true },
    outbound: options.outbound ?? { savedHosts: [], allow: [] },
    log: {
      debug: hear("debug"),
      info: hear("info"),
      warn: hear("warn"),
      error: hear("error"),
    },
    mask: hear("mask"),
    maskIgnoreCase: hear("maskIgnoreCase"),
    noteHttpStatus: hear("httpStatus"),
    progress(...told) {
      progress(...told);
      options.onProgress?.();
    },
  };
  return { call, heard };
}
