import type { Random } from "./random.ts";

export type ProtocolMode = "session" | "stateless";
export type Message = Record<string, unknown>;

const operations: ReadonlyArray<[string, Record<string, unknown>]> = [
  ["greet", { name: "Ada", times: 2, tone: "friendly" }],
  ["show", {}],
  ["big_number", { value: 42 }],
  ["count", {}],
  ["overrun", {}],
  ["refuse", {}],
  ["crash", {}],
  ["log", {}],
  ["mask", {}],
  ["whisper", { password: "a password" }],
  ["maintain", {}],
  ["no_such_operation", {}],
];

/** Creates a valid message of a protocol mode, of any kind that a client can send. */
export function makeMessage(random: Random, mode: ProtocolMode, rowId: string): Message {
  const id = random.pick([1, 7, 123456, "a", "request-1", 0, -5, 1.5]);
  const message = { jsonrpc: "2.0", id };
  if (random.chance(0.7)) {
    return {
      ...message,
      method: "tools/call",
      params: toParams(random, mode, makeCall(random, rowId)),
    };
  }
  if (random.chance(0.1)) return { jsonrpc: "2.0", id, result: {} };
  if (random.chance(0.1)) return { jsonrpc: "2.0", method: "notifications/initialized" };
  if (mode === "stateless") {
    const method = random.pick(["server/discover", "tools/list"]);
    return { ...message, method, params: toParams(random, mode, {}) };
  }
  if (random.chance(0.5)) {
    return { ...message, method: random.pick(["ping", "tools/list"]), params: {} };
  }
  const clientInfo = { name: "fuzz", version: "1" };
  const params = { protocolVersion: "2025-11-25", capabilities: {}, clientInfo };
  return { ...message, method: "initialize", params };
}

function makeCall(random: Random, rowId: string): Message {
  const [operation, params] = random.pick(operations);
  const toolId = `conn:${rowId}/${operation}`;
  return random.pick([
    { name: "hub_list", arguments: {} },
    { name: "hub_info" },
    { name: "hub_search", arguments: { query: "greets a person" } },
    { name: "hub_get", arguments: { tool_id: toolId } },
    { name: "hub_encrypt", arguments: {} },
    { name: "hub_execute", arguments: { tool_id: toolId, params } },
    { name: "hub_execute", arguments: { tool_id: toolId, params } },
    { name: "hub_execute", arguments: { tool_id: toolId, params } },
  ]);
}

function toParams(random: Random, mode: ProtocolMode, params: Message): Message {
  const progress = random.chance(0.3) ? { progressToken: random.pick([1, "p"]) } : {};
  if (mode === "session")
    return { ...params, ...("progressToken" in progress && { _meta: progress }) };
  return {
    ...params,
    _meta: {
      "io.modelcontextprotocol/protocolVersion": "2026-07-28",
      "io.modelcontextprotocol/clientCapabilities": {},
      "io.modelcontextprotocol/clientInfo": { name: "fuzz", version: "1" },
      ...progress,
    },
  };
}

/** The headers that belong to a message. */
export function makeHeaders(mode: ProtocolMode, message: Message): Record<string, string> {
  if (mode === "session") return { "mcp-protocol-version": "2025-11-25" };
  const { method, params } = message;
  const name = params !== null && typeof params === "object" && "name" in params && params.name;
  return {
    "mcp-protocol-version": "2026-07-28",
    ...(typeof method === "string" && { "mcp-method": method }),
    ...(typeof name === "string" && { "mcp-name": name }),
  };
}
