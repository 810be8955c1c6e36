import { serveMcp } from "../../../packages/server/src/bridges/mcp/testing/serve-mcp.ts";
import { send } from "../deliveries.ts";
import type { Attack, Door, RequestSpec } from "../door.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { texts, values, writeJson } from "../shapes.ts";
import { toCall } from "./tool-doors.ts";

const bytesMax = 3.5 * 1024 * 1024;
const tool = { name: "call", inputSchema: { type: "object" } };

/** What an MCP server behind a row sends: results, its list of tools, and notices while a call runs. */
export async function openMcpDoors(fixture: CostFixture): Promise<Door[]> {
  return [
    ...(await openCallDoors(fixture)),
    // Another row, because the list decides which tools can be called.
    await openListDoor(fixture),
  ];
}

/** Writes the body of an answer. */
type Write = (id: unknown, progressToken: unknown) => string;

async function openCallDoors(fixture: CostFixture): Promise<Door[]> {
  let write: Write = () => "";
  let type = "application/json";
  const server = serveMcp({
    listTools: () => ({ tools: [tool] }),
    callTool: (_, { id, params }) =>
      new Response(write(id, Object(params._meta).progressToken), {
        headers: { "content-type": type },
      }),
  });
  fixture.own({ [Symbol.asyncDispose]: () => server.close() });
  const row = await addApproved(fixture, "Cost tools", server.url);
  const call = toCall(fixture, "hub_execute", { tool_id: `conn:${row}/call`, params: {} });
  const toAttack = (
    kind: Attack["kind"],
    of: string,
    prepareWrite: (bytes: number) => Write,
    request: RequestSpec = call,
  ): Attack => ({
    kind,
    prepare(bytes) {
      const own = prepareWrite(bytes);
      return {
        bytes,
        async run() {
          [write, type] = [own, of];
          return await send(fixture.hub, request);
        },
      };
    },
  });
  const results: Record<string, Attack> = {};
  const addResult = (name: string, kind: Attack["kind"], make: (bytes: number) => object) => {
    results[name] = toAttack(kind, "application/json", (bytes) => {
      const text = writeJson(make(bytes));
      return (id) => `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${text}}`;
    });
  };
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    const toContent = (bytes: number) => [{ type: "text", text: make(bytes) }];
    addResult(`text: ${shape}`, kind, (bytes) => ({ content: toContent(bytes) }));
    addResult(`error: ${shape}`, kind, (bytes) => ({ isError: true, content: toContent(bytes) }));
  }
  for (const [shape, { kind, make }] of Object.entries(values)) {
    addResult(`content: ${shape}`, kind, (bytes) => ({ content: make(bytes) }));
    addResult(`structured: ${shape}`, kind, (bytes) => ({
      content: [],
      structuredContent: { value: make(bytes) },
    }));
  }
  const notified: Record<string, Attack> = {};
  const withProgress = {
    ...call,
    body: (call.body ?? "").replace('"params":{', '"params":{"_meta":{"progressToken":"p"},'),
  };
  for (const [name, { kind, make }] of Object.entries(notices)) {
    const toWrite = (bytes: number): Write => {
      return (id, token) => {
        const one = `data: ${JSON.stringify(make(token, bytes))}\n\n`;
        const last = `data: ${JSON.stringify({ jsonrpc: "2.0", id, result: { content: [] } })}\n\n`;
        return one.repeat(Math.max(1, bytes / one.length)) + last;
      };
    };
    notified[name] = toAttack(kind, "text/event-stream", toWrite, withProgress);
  }
  return [
    { group: "answers", name: "results of an MCP server", bytesMax, attacks: results },
    { group: "answers", name: "progress of an MCP server", bytesMax, attacks: notified },
  ];
}

type Notice = { kind: Attack["kind"]; make(progressToken: unknown, bytes: number): object };

const notices: Record<string, Notice> = {
  "many notices of progress": {
    kind: "number",
    make: (progressToken) => toNotice("progress", { progressToken, progress: 1, message: "on" }),
  },
  "notices of progress of other calls": {
    kind: "number",
    make: () => toNotice("progress", { progressToken: "no", progress: 1 }),
  },
  "many log messages": {
    kind: "number",
    make: () => toNotice("message", { level: "info", data: "x" }),
  },
  "many changes of the list": { kind: "number", make: () => toNotice("tools/list_changed", {}) },
  "many pings": { kind: "number", make: () => ({ jsonrpc: "2.0", id: 1, method: "ping" }) },
  "one long notice": {
    kind: "length",
    make: (progressToken, bytes) =>
      toNotice("progress", { progressToken, progress: 1, message: "a".repeat(bytes) }),
  },
};

function toNotice(method: string, params: object): object {
  return { jsonrpc: "2.0", method: `notifications/${method}`, params };
}

async function openListDoor(fixture: CostFixture): Promise<Door> {
  let tools: unknown = [tool];
  const server = serveMcp({ listTools: () => ({ tools }) });
  fixture.own({ [Symbol.asyncDispose]: () => server.close() });
  const row = await addApproved(fixture, "Cost lists", server.url);
  const discover: RequestSpec = {
    method: "POST",
    path: `/manager/api/rows/${row}/discover`,
    body: "{}",
    headers: {
      "content-type": "application/json",
      authorization: `Bearer ${fixture.manageToken}`,
    },
  };
  const attacks: Record<string, Attack> = {};
  const add = (name: string, kind: Attack["kind"], make: (bytes: number) => unknown) => {
    attacks[name] = {
      kind,
      prepare(bytes) {
        const made = make(bytes);
        return {
          bytes,
          async run() {
            tools = made;
            return await send(fixture.hub, discover);
          },
        };
      },
    };
  };
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    add(`name: ${shape}`, kind, (bytes) => [{ ...tool, name: make(bytes) }]);
    add(`description: ${shape}`, kind, (bytes) => [{ ...tool, description: make(bytes) }]);
  }
  for (const [shape, { kind, make }] of Object.entries(values)) {
    // The server of the tests cannot write a value of any depth.
    if (shape === "one nested value" || shape === "long digits") continue;
    const toSchema = (bytes: number) => ({ type: "object", properties: make(bytes) });
    add(`schema: ${shape}`, kind, (bytes) => [{ ...tool, inputSchema: toSchema(bytes) }]);
    add(`tools: ${shape}`, kind, make);
  }
  add("many tools", "number", (bytes) =>
    Array.from({ length: bytes / 60 }, (_, at) => ({ ...tool, name: `call${at}` })),
  );
  return { group: "answers", name: "list of an MCP server", bytesMax, attacks };
}

async function addApproved({ api }: CostFixture, label: string, url: string): Promise<string> {
  const { id } = await api("POST", "/manager/api/rows", {
    connector: "mcp",
    label,
    values: { url },
  });
  const path = `/manager/api/rows/${id}`;
  await api("POST", `${path}/discover`, {});
  const { stamp } = await api("GET", `${path}/review`);
  await api("POST", `${path}/approve`, { stamp });
  return String(id);
}
