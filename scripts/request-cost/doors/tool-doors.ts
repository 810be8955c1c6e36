import type { Members } from "../cases/members.ts";
import { paramCases, toolCases } from "../cases/tool-cases.ts";
import { listDeliveries, toPrepared } from "../deliveries.ts";
import type { Attack, Door, RequestSpec } from "../door.ts";
import { fill, listHostile } from "../list-attacks.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { type Shape, texts, writeJson } from "../shapes.ts";

export const messageBytesMax = 3.5 * 1024 * 1024;
const json = { "content-type": "application/json", accept: "application/json, text/event-stream" };

/** The tools of models, the params of an operation, and what is in a frame and its headers. */
export function listToolDoors(fixture: CostFixture): Door[] {
  return [
    ...Object.entries(toolCases).map(([tool, args]) => toToolDoor(fixture, tool, args)),
    toParamDoor(fixture),
    ...Object.entries(protocolModes).map(([mode, headers]) =>
      toFrameDoor(fixture, `a frame, ${mode}`, headers),
    ),
  ];
}

function toMcpRequest({ mcpToken }: CostFixture, body: string, headers = {}): RequestSpec {
  const own = { ...json, authorization: `Bearer ${mcpToken}`, ...headers };
  return { method: "POST", path: "/mcp", headers: own, body };
}

export function toCall(fixture: CostFixture, name: string, args: unknown): RequestSpec {
  const params = { name, arguments: args };
  const message = { jsonrpc: "2.0", id: 1, method: "tools/call", params };
  return toMcpRequest(fixture, writeJson(message));
}

function toToolDoor(fixture: CostFixture, tool: string, given: Members): Door {
  const args = fill(given, fixture.toolId);
  const attacks: Door["attacks"] = {};
  for (const [name, kind, make] of listHostile(args)) {
    attacks[name] = {
      kind,
      prepare: (bytes) =>
        toPrepared(fixture.hub, toCall(fixture, tool, nameOnce(make(bytes), name))),
    };
  }
  const kinds = ["parallelism", "idling"] as const;
  const valid = () =>
    toCall(
      fixture,
      tool,
      tool === "hub_execute" || tool === "hub_read"
        ? { tool_id: args.tool_id, params: paramsOfSmall }
        : nameOnce(args),
    );
  Object.assign(attacks, listDeliveries(fixture.hub, valid, { hasBody: false, kinds }));
  return { group: "tools", name: tool, bytesMax: messageBytesMax, attacks };
}

/** Names the operation in one way, that of the attack, since a call with both names is refused at once. The same of the params. */
function nameOnce(args: unknown, attack = ""): unknown {
  const { tool_id: toolId, row, operation, ...others } = Object(args);
  if (toolId === undefined || row === undefined) return args;
  if (attack.startsWith("pending_id")) return { tool_id: toolId, pending_id: others.pending_id };
  const { pending_id: _, ...params } = others;
  const isNamed = attack.startsWith("row") || attack.startsWith("operation");
  return isNamed ? { ...params, row, operation } : { ...params, tool_id: toolId };
}

const paramsOfSmall = { path: "/plain_text/1000" };

function toParamDoor(fixture: CostFixture): Door {
  const attacks: Door["attacks"] = {};
  const call = (params: unknown, operation: string) => {
    const toolId = fixture.toolId.replace(/\/get$/, `/${operation}`);
    return toPrepared(fixture.hub, toCall(fixture, "hub_execute", { tool_id: toolId, params }));
  };
  for (const [name, kind, make] of listHostile(paramCases)) {
    const operation = name.startsWith("body") ? "post" : "get";
    attacks[name] = { kind, prepare: (bytes) => call(make(bytes), operation) };
  }
  for (const [name, { kind, make }] of Object.entries({
    ...texts,
    "separators and blanks": blanks,
  })) {
    const content_type = "application/x-www-form-urlencoded";
    attacks[`body as a form: ${name}`] = {
      kind,
      prepare: (bytes) =>
        call({ path: "/plain_text/1000", body: make(bytes), content_type }, "post"),
    };
  }
  for (const [name, make] of Object.entries(ownTokens(fixture))) {
    attacks[`body: ${name}`] = {
      kind: "tokens",
      prepare: (bytes) => call({ path: "/plain_text/1000", body: { texts: make(bytes) } }, "post"),
    };
  }
  return { group: "tools", name: "hub_execute params", bytesMax: messageBytesMax, attacks };
}

const blanks: Shape<string> = { kind: "number", make: (bytes) => "&+".repeat(bytes / 2) };

/** Value tokens of the caller. A call has at most 100 distinct secrets, of which the row has one. */
function ownTokens({ seal }: CostFixture): Record<string, (bytes: number) => string[]> {
  const secret = (at: number, chars: number) => {
    let text = `${at}-`;
    while (text.length < chars) text += Bun.hash(text).toString(36);
    return text.slice(0, Math.max(chars, 20));
  };
  // A token is the text in base64, and a head.
  const distinct = (count: number, bytes: number) =>
    Array.from({ length: count }, (_, at) => seal(secret(at, (bytes / count) * 0.75 - 40)));
  return {
    "97 long value tokens": (bytes) => distinct(97, bytes),
    "one long value token": (bytes) => distinct(1, bytes),
    "97 short value tokens, repeated": (bytes) => {
      const tokens = distinct(97, 97 * 80);
      const rounds = Math.max(1, Math.floor(bytes / (97 * 90)));
      return Array.from({ length: rounds }, () => tokens).flat();
    },
    "repetitive value tokens": (bytes) =>
      Array.from({ length: 97 }, (_, at) =>
        seal("a".repeat(Math.max(10, (bytes / 97) * 0.75 - 40 - at))),
      ),
  };
}

const protocolModes: Record<string, Record<string, string>> = {
  "session mode": { "mcp-protocol-version": "2025-11-25", "mcp-session-id": crypto.randomUUID() },
  "stateless mode": { "mcp-protocol-version": "2026-07-28" },
};

function toFrameDoor(fixture: CostFixture, name: string, mode: Record<string, string>): Door {
  const { hub } = fixture;
  const attacks: Record<string, Attack> = {};
  const add = (attack: string, one: Attack) => Object.assign(attacks, { [attack]: one });
  const meta = (value: unknown) => {
    const params = { name: "hub_info", arguments: {}, _meta: value };
    return writeJson({ jsonrpc: "2.0", id: 1, method: "tools/call", params });
  };
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    const prepare = (body: string, headers = {}) =>
      toPrepared(hub, toMcpRequest(fixture, body, { ...mode, ...headers }));
    add(`frame: ${shape}`, { kind, prepare: (bytes) => prepare(make(bytes)) });
    for (const header of ["mcp-session-id", "mcp-protocol-version", "mcp-method", "accept"]) {
      add(`${header}: ${shape}`, {
        kind,
        bytesMax: headBytesMax,
        prepare: (bytes) => prepare(meta({}), { [header]: toHeader(make(bytes)) }),
      });
    }
  }
  for (const [of, kind, make] of listHostile({ progressToken: "x" })) {
    add(`_meta, ${of}`, {
      kind,
      prepare: (bytes) => toPrepared(hub, toMcpRequest(fixture, meta(make(bytes)), mode)),
    });
  }
  add("a batch of requests", {
    kind: "number",
    prepare: (bytes) => {
      const one = { jsonrpc: "2.0", id: 1, method: "ping" };
      const body = JSON.stringify(Array(Math.max(1, Math.floor(bytes / 41))).fill(one));
      return toPrepared(hub, toMcpRequest(fixture, body, mode));
    },
  });
  Object.assign(
    attacks,
    listDeliveries(hub, (bytes) => toMcpRequest(fixture, meta({ pad: "x".repeat(bytes) }), mode)),
  );
  return { group: "tools", name, bytesMax: messageBytesMax, attacks };
}

/** The HTTP server refuses longer heads. */
export const headBytesMax = 12 * 1024;

/** Without what a header cannot have. */
export function toHeader(text: string): string {
  return (
    text
      .replaceAll(/[^\x20-\x7e]/g, "x")
      .slice(0, headBytesMax)
      .trim() || "x"
  );
}
