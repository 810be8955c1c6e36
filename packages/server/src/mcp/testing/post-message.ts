import { toJsonText } from "@hub/connector";
import type { Caller } from "../../caller.ts";
import type { Mcp } from "../mcp.ts";
import { metaKeys } from "../modes/protocol-versions.ts";
import { ada } from "./open-test-mcp.ts";

type PostOptions = {
  headers?: Record<string, string>;
  caller?: Caller;
  signal?: AbortSignal;
  holdOpen?: () => () => void;
};

/** Posts a message, or text as it is, past the HTTP checks. */
export async function post(
  mcp: Pick<Mcp, "answerPost">,
  message: unknown,
  options: PostOptions = {},
): Promise<Response> {
  const { headers = {}, caller = ada, signal = new AbortController().signal } = options;
  return await mcp.answerPost({
    body: typeof message === "string" ? message : toJsonText(message),
    headers: new Headers(headers),
    caller,
    findCaller: async () => caller,
    origin: { ip: "192.0.2.7", userAgent: "test" },
    disconnectSignal: () => signal,
    holdOpen: options.holdOpen ?? (() => () => {}),
  });
}

/** A request of the session mode. */
export function request(method: string, params: Record<string, unknown> = {}, id: unknown = 1) {
  return { jsonrpc: "2.0", id, method, params };
}

/** A `tools/call` of `hub_execute`. */
export function execute(params: Record<string, unknown> = {}, extra: Record<string, unknown> = {}) {
  const args = { tool_id: "conn:7f0c0a52-0000-4000-8000-000000000000/get_issue", params };
  return request("tools/call", { name: "hub_execute", arguments: args, ...extra });
}

/** Posts a request of the stateless mode with its headers. */
export function postStateless(
  mcp: Pick<Mcp, "answerPost">,
  method: string,
  params: Record<string, unknown> = {},
  options: PostOptions & { meta?: Record<string, unknown> } = {},
): Promise<Response> {
  const headers: Record<string, string> = {
    "MCP-Protocol-Version": "2026-07-28",
    "Mcp-Method": method,
  };
  if (typeof params.name === "string") headers["Mcp-Name"] = params.name;
  const meta = {
    [metaKeys.protocolVersion]: "2026-07-28",
    [metaKeys.clientCapabilities]: {},
    ...options.meta,
  };
  return post(mcp, request(method, { ...params, _meta: meta }), {
    ...options,
    headers: { ...headers, ...options.headers },
  });
}
