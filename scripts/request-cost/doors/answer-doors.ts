import { createServer } from "node:net";
import { serveMcp } from "../../../packages/server/src/bridges/mcp/testing/serve-mcp.ts";
import { toPrepared } from "../deliveries.ts";
import type { Attack, Door } from "../door.ts";
import type { CostFixture } from "../open-cost-fixture.ts";
import { texts, values, writeJson } from "../shapes.ts";
import { toCall } from "./tool-doors.ts";

const mebibyte = 1024 * 1024;
const answerBytesMax = 15 * mebibyte;

/** What outside systems answer: a REST API, an MCP server, a server of documents. */
export async function openAnswerDoors(fixture: CostFixture): Promise<Door[]> {
  return [
    ...fixture.answerShapes.map((shape) => toShapeDoor(fixture, shape)),
    await openRawDoor(fixture),
    ...(await openMcpDoors(fixture)),
    await openDocumentDoor(fixture),
  ];
}

function toShapeDoor(fixture: CostFixture, shape: string): Door {
  const prepare: Attack["prepare"] = (bytes) => {
    const params = { path: `/${shape}/${Math.floor(bytes)}` };
    const call = toCall(fixture, "hub_execute", { tool_id: fixture.toolId, params });
    return toPrepared(fixture.hub, { ...call, bytes });
  };
  const kind = kindsOfAnswers[shape] ?? "repetition";
  const attacks: Record<string, Attack> = { answer: { kind, prepare } };
  return { group: "answers", name: `answer ${shape}`, bytesMax: answerBytesMax, attacks };
}

const kindsOfAnswers: Record<string, Attack["kind"]> = {
  ...{ plain_text: "length", nested_arrays: "depth", nested_objects: "depth" },
  ...{ json_in_json: "depth", many_numbers: "number", many_arrays: "number", many_keys: "number" },
  ...{ many_keys_with_secret: "number", secrets: "tokens", forged_tokens: "tokens" },
};

/** Answers of HTTP that a server writes byte by byte. */
async function openRawDoor(fixture: CostFixture): Promise<Door> {
  let answer = "";
  let isEnded = true;
  const server = createServer((socket) => {
    socket.on("error", () => {});
    socket.once("data", () => {
      socket.write(answer);
      if (isEnded) socket.end();
      else setTimeout(() => socket.destroy(), 1_500);
    });
  });
  fixture.own({
    async [Symbol.asyncDispose]() {
      server.close();
    },
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = Object(server.address());
  const { id } = await fixture.api("POST", "/manager/api/rows", {
    ...{ connector: "http", label: "Cost raw" },
    values: { base_url: `http://127.0.0.1:${port}` },
  });
  const call = toCall(fixture, "hub_execute", {
    tool_id: `conn:${id}/get`,
    params: { path: "/x" },
  });
  const ok = "HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n";
  const chunk = (part: string) => `${part.length.toString(16)}\r\n${part}\r\n`;
  const attacks: Record<string, Attack> = {};
  const add = (
    name: string,
    kind: Attack["kind"],
    make: (bytes: number) => string,
    { bytesMax = 4 * mebibyte, hasEnd = true } = {},
  ) => {
    attacks[name] = {
      ...{ kind, bytesMax },
      prepare: (bytes) => ({
        bytes,
        async run() {
          answer = make(bytes);
          isEnded = hasEnd;
          return await toPrepared(fixture.hub, call).run();
        },
      }),
    };
  };
  const inChunks = (bytes: number) =>
    `${ok}transfer-encoding: chunked\r\n\r\n${chunk("1").repeat(bytes)}`;
  add("chunks of one byte", "chunking", (bytes) => `${inChunks(bytes)}0\r\n\r\n`);
  add("chunks of one byte without an end", "idling", inChunks, { hasEnd: false });
  const head = { bytesMax: 64 * 1024 };
  add("many headers", "number", (n) => `${ok}${"x-a: 1\r\n".repeat(n / 8)}\r\n{}`, head);
  add("a long header", "length", (n) => `${ok}x-a: ${"a".repeat(n)}\r\n\r\n{}`, head);
  add(
    "a redirect to a long address",
    "length",
    (n) => {
      return `HTTP/1.1 302 Found\r\nlocation: /${"a".repeat(n)}\r\n\r\n`;
    },
    head,
  );
  return { group: "answers", name: "answer in raw HTTP", bytesMax: answerBytesMax, attacks };
}

async function openMcpDoors(fixture: CostFixture): Promise<Door[]> {
  const first = [{ name: "call", inputSchema: { type: "object" } }];
  let listed: unknown = first;
  let result: (id: unknown, progressToken: unknown) => Response | Record<string, unknown> = () => ({
    content: [],
  });
  const server = serveMcp({
    listTools: () => toResult({ tools: listed }),
    callTool: (_, { id, params }) => result(id, Object(params._meta).progressToken),
  });
  fixture.own({ [Symbol.asyncDispose]: () => server.close() });
  const row = await addApproved(fixture, "mcp", "Cost tools", { url: server.url });
  const call = toCall(fixture, "hub_execute", { tool_id: `conn:${row}/call`, params: {} });
  const withProgress = {
    ...call,
    body: call.body?.replace('"params":{', '"params":{"_meta":{"progressToken":"p"},') ?? "",
  };
  const doors: Record<string, Record<string, Attack>> = { result: {}, list: {}, progress: {} };
  for (const [shape, { kind, make }] of [...Object.entries(texts), ...Object.entries(values)]) {
    const add = (door: string, name: string, toRun: (made: unknown) => () => Promise<string>) =>
      Object.assign(doors[door] ?? {}, {
        [`${name}: ${shape}`]: {
          kind,
          prepare: (bytes: number) => ({ bytes, run: toRun(make(bytes)) }),
        },
      });
    const toCaller = (toAnswer: (made: unknown) => Record<string, unknown>) => (made: unknown) => {
      const text = toAnswer(made);
      return () => {
        result = () => toResult(text);
        return toPrepared(fixture.hub, call).run();
      };
    };
    if (shape in texts) {
      add(
        "result",
        "text",
        toCaller((text) => ({ content: [{ type: "text", text }] })),
      );
      add(
        "result",
        "error",
        toCaller((text) => ({ isError: true, content: [{ type: "text", text }] })),
      );
    } else {
      add(
        "result",
        "structured",
        toCaller((value) => ({ content: [], structuredContent: { value } })),
      );
      add(
        "result",
        "content",
        toCaller((content) => ({ content })),
      );
    }
    const toLister = (toTools: (made: unknown) => unknown) => (made: unknown) => () => {
      listed = toTools(made);
      const path = `/manager/api/rows/${row}/discover`;
      const headers = {
        "content-type": "application/json",
        authorization: `Bearer ${fixture.manageToken}`,
      };
      return toPrepared(fixture.hub, { method: "POST", path, headers, body: "{}" }).run();
    };
    const schema = (inner: unknown) => ({ type: "object", ...Object(inner) });
    add(
      "list",
      "name",
      toLister((name) => [{ ...first[0], name }]),
    );
    add(
      "list",
      "description",
      toLister((description) => [{ ...first[0], description }]),
    );
    add(
      "list",
      "schema",
      toLister((inner) => [{ name: "call", inputSchema: schema({ properties: inner }) }]),
    );
    add(
      "list",
      "tools",
      toLister((tools) => tools),
    );
  }
  const tools = (bytes: number) =>
    Array.from({ length: bytes / 60 }, (_, at) => ({ ...first[0], name: `call${at}` }));
  Object.assign(doors.list ?? {}, {
    "many tools": {
      kind: "number",
      prepare: (bytes: number) => ({
        bytes,
        async run() {
          listed = tools(bytes);
          return await fixture.api("POST", `/manager/api/rows/${row}/discover`, {}).then(
            () => "200",
            () => "refused",
          );
        },
      }),
    },
  });
  for (const [name, message] of Object.entries(notices)) {
    Object.assign(doors.progress ?? {}, {
      [name]: {
        kind: name.startsWith("long") ? "length" : "number",
        prepare: (bytes: number) => ({
          bytes,
          run() {
            result = (id, token) => {
              const one = `data: ${JSON.stringify(message(token, bytes))}\n\n`;
              const many = name.startsWith("long") ? 1 : Math.max(1, bytes / one.length);
              const last = { jsonrpc: "2.0", id, result: { content: [] } };
              const body = `${one.repeat(many)}data: ${JSON.stringify(last)}\n\n`;
              return new Response(body, { headers: { "content-type": "text/event-stream" } });
            };
            return toPrepared(fixture.hub, withProgress).run();
          },
        }),
      },
    });
  }
  return Object.entries(doors).map(([name, attacks]) => ({
    group: "answers",
    name: `${name} of an MCP server`,
    bytesMax: 3.5 * mebibyte,
    attacks,
  }));
}

const notices: Record<string, (token: unknown, bytes: number) => object> = {
  "many notices of progress": (progressToken) =>
    toNotice("progress", { progressToken, progress: 1, message: "on" }),
  "many notices of progress of others": () =>
    toNotice("progress", { progressToken: "no", progress: 1 }),
  "many log messages": () => toNotice("message", { level: "info", data: "x" }),
  "many changes of the list": () => toNotice("tools/list_changed", {}),
  "long notice of progress": (progressToken, bytes) =>
    toNotice("progress", { progressToken, progress: 1, message: "a".repeat(bytes) }),
  "many pings": () => ({ jsonrpc: "2.0", id: 1, method: "ping" }),
};

function toNotice(method: string, params: object): object {
  return { jsonrpc: "2.0", method: `notifications/${method}`, params };
}

/** JSON of any depth, which the test server could not write. */
function toResult(result: unknown): Record<string, unknown> {
  return JSON.parse(writeJsonOfLimit(result));
}

/** A depth that `JSON.parse` of this script can read back. */
function writeJsonOfLimit(value: unknown): string {
  return writeJson(value).replaceAll(/\[{2000,}\]{2000,}/g, "[]");
}

async function openDocumentDoor(fixture: CostFixture): Promise<Door> {
  let document = "{}";
  const server = Bun.serve({
    ...{ port: 0, hostname: "127.0.0.1" },
    fetch: () => new Response(document, { headers: { "content-type": "application/json" } }),
  });
  fixture.own({ [Symbol.asyncDispose]: () => server.stop(true) });
  const url = server.url.origin;
  const { id } = await fixture.api("POST", "/manager/api/rows", {
    ...{ connector: "openapi", label: "Cost document" },
    values: { document_url: `${url}/doc`, base_url: url },
  });
  const attacks: Record<string, Attack> = {};
  const add = (name: string, kind: Attack["kind"], make: (bytes: number) => string) => {
    attacks[name] = {
      kind,
      prepare(bytes) {
        const text = make(bytes);
        const path = `/manager/api/rows/${id}/discover`;
        const headers = {
          "content-type": "application/json",
          authorization: `Bearer ${fixture.manageToken}`,
        };
        return {
          bytes: text.length,
          run() {
            document = text;
            return toPrepared(fixture.hub, { method: "POST", path, headers, body: "{}" }).run();
          },
        };
      },
    };
  };
  const of = (paths: unknown, more: object = {}) =>
    writeJson({ openapi: "3.1.0", info: { title: "x", version: "1" }, paths, ...more });
  const get = (more: object) => ({ operationId: "get", responses: {}, ...more });
  for (const [shape, { kind, make }] of Object.entries(texts)) {
    add(`document: ${shape}`, kind, make);
    add(`description: ${shape}`, kind, (n) => of({ "/x": { get: get({ description: make(n) }) } }));
    add(`path: ${shape}`, kind, (n) => of({ [`/${make(n)}`]: { get: get({}) } }));
  }
  for (const [shape, { kind, make }] of Object.entries(values)) {
    add(`schema: ${shape}`, kind, (n) => of({}, { components: { schemas: { A: make(n) } } }));
    add(`parameters: ${shape}`, kind, (n) => of({ "/x": { get: get({ parameters: make(n) }) } }));
  }
  add("many paths", "number", (bytes) => {
    const count = bytes / 60;
    const paths = Array.from({ length: count }, (_, at) => [`/p${at}`, { get: { responses: {} } }]);
    return of(Object.fromEntries(paths));
  });
  add("references of references", "depth", (bytes) => {
    const count = Math.max(2, Math.floor(bytes / 120));
    const toRef = (at: number) => ({ $ref: `#/components/schemas/A${at}` });
    const schemas = Array.from({ length: count }, (_, at) => [
      `A${at}`,
      at === 0 ? { type: "string" } : { properties: { a: toRef(at - 1), b: toRef(at - 1) } },
    ]);
    const content = { "application/json": { schema: toRef(count - 1) } };
    const post = get({ requestBody: { content } });
    return of({ "/x": { post } }, { components: { schemas: Object.fromEntries(schemas) } });
  });
  return {
    ...{ group: "answers", name: "a document of OpenAPI", bytesMax: 9 * mebibyte, attacks },
    // It is read in a worker with a memory of its own.
    ...{ cpuMsExtra: 1_000, memoryMiBExtra: 256 },
  };
}

async function addApproved(
  { api }: CostFixture,
  connector: string,
  label: string,
  given: Record<string, string>,
): Promise<string> {
  const { id } = await api("POST", "/manager/api/rows", { connector, label, values: given });
  const path = `/manager/api/rows/${id}`;
  await api("POST", `${path}/discover`, {});
  const { stamp } = await api("GET", `${path}/review`);
  await api("POST", `${path}/approve`, { stamp });
  return String(id);
}
