import type { HttpRequest } from "../load/http-request.ts";
import { send } from "../load/send.ts";

const protocolVersion = "2025-06-18";

export type McpSession = {
  /** The request that calls a tool, with the same bytes for the same arguments. */
  toCall(tool: string, args: Record<string, unknown>): HttpRequest;
  /** Calls a tool and parses its answer. Throws if the call failed. */
  call(tool: string, args: Record<string, unknown>): Promise<unknown>;
};

export const initializeMessage = {
  jsonrpc: "2.0",
  id: 0,
  method: "initialize",
  params: { protocolVersion, capabilities: {}, clientInfo: { name: "hub-bench", version: "1" } },
};

/** The first request of a session. */
export function toInitialize(hub: { url: string; token: string }): HttpRequest {
  return {
    url: `${hub.url}/mcp`,
    headers: {
      "content-type": "application/json",
      accept: "application/json, text/event-stream",
      authorization: `Bearer ${hub.token}`,
    },
    body: JSON.stringify(initializeMessage),
  };
}

/** Opens a session like an MCP client: it initializes, and sends the session id in each request. */
export async function openSession(hub: { url: string; token: string }): Promise<McpSession> {
  const first = toInitialize(hub);
  const response = await fetch(first.url, { ...first, method: "POST" });
  const answer = await response.text();
  const sessionId = response.headers.get("mcp-session-id");
  if (sessionId === null) throw new Error(`initialize: ${response.status} ${answer}`);
  const headers = {
    ...first.headers,
    "mcp-session-id": sessionId,
    "mcp-protocol-version": protocolVersion,
  };

  const toCall: McpSession["toCall"] = (tool, args) => ({
    url: first.url,
    headers,
    body: JSON.stringify({
      jsonrpc: "2.0",
      id: 1,
      method: "tools/call",
      params: { name: tool, arguments: args },
    }),
  });
  return {
    toCall,
    call: async (tool, args) => readToolAnswer(await send(toCall(tool, args))),
  };
}

/** Extracts the tool's answer from the JSON-RPC response. Throws if the call failed. */
export function readToolAnswer(text: string): unknown {
  const { result } = JSON.parse(text);
  const answer = result?.content?.[0]?.text;
  if (typeof answer !== "string" || result.isError === true) {
    throw new Error(`The call failed: ${text.slice(0, 500)}`);
  }
  return JSON.parse(answer);
}
