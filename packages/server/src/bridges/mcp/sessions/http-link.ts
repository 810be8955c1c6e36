import type { FetchLike, Transport } from "@modelcontextprotocol/client";
import { createOpenRequests } from "../messages/open-requests.ts";
import type { SessionLink } from "./open-mcp-session.ts";
import { createSessionFetch, type SessionFetchOptions } from "./session-fetch.ts";

const connectMs = 30_000;

type HttpTarget = Omit<SessionFetchOptions, "hasOneStream" | "requests"> & { url: URL };

/** Streamable HTTP, of both protocol modes. */
export async function createHttpLink(target: HttpTarget): Promise<SessionLink> {
  const { StreamableHTTPClientTransport } = await import("@modelcontextprotocol/client");
  const requests = createOpenRequests();
  const session = createSessionFetch({ ...target, requests, hasOneStream: false });
  const transport = new StreamableHTTPClientTransport(target.url, {
    fetch: (input, init) => session.fetch(input, init),
  });
  const send = transport.send.bind(transport);
  transport.send = (message, options) =>
    send(message, { ...options, onRequestStreamEnd: () => session.endStream(options?.headers) });
  return {
    transport: transport as Transport,
    requests,
    connectMs,
    mode: "auto",
    probeMs: connectMs,
    beginCall: (call) => session.beginCall(call),
    takesMemory: true,
    hasSessionId: () => transport.sessionId !== undefined,
    terminate: () => transport.terminateSession(),
    findFailure: () => session.findFailure(),
  };
}

/** HTTP+SSE of 2024-11-05: one connection for all answers, and a POST for each request. */
export async function createSseLink(target: HttpTarget): Promise<SessionLink> {
  const { SSEClientTransport } = await import("@modelcontextprotocol/client");
  const requests = createOpenRequests();
  const session = createSessionFetch({ ...target, requests, hasOneStream: true });
  const fetch: FetchLike = (input, init) => session.fetch(input, init);
  const transport = new SSEClientTransport(target.url, { fetch, eventSourceInit: { fetch } });
  // The library would connect again, but a new connection is a new session.
  transport.onerror = (error) => {
    if ("event" in error) transport.close();
  };
  return {
    transport,
    requests,
    connectMs,
    // The newer protocol has no such transport.
    mode: "legacy",
    probeMs: connectMs,
    beginCall: () => ({ headers: {}, lost: new AbortController().signal, end() {} }),
    takesMemory: false,
    hasSessionId: () => false,
    terminate: async () => {},
    findFailure: () => session.findFailure(),
  };
}
