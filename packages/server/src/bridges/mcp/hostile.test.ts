import { afterEach, expect, test } from "bun:test";
import { cleanSchema } from "../../connectors/by-row/clean-schema.ts";
import { openTestBridge } from "./testing/open-test-bridge.ts";
import { type ServerScript, serveMcp, streamEvents } from "./testing/serve-mcp.ts";

const closers: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closers.splice(0).reverse()) await close();
});

function open(script: ServerScript, options: Parameters<typeof openTestBridge>[0] = {}) {
  const server = serveMcp(script);
  closers.push(server.close);
  const bridge = openTestBridge(options);
  closers.push(bridge.close);
  return { server, bridge, config: { url: server.url } };
}

const schema = { type: "object" };
const mebibyte = "x".repeat(1024 * 1024);

/** The message of the failure of a promise. */
async function findFailure(promise: Promise<unknown>): Promise<string> {
  return await promise.then(
    (value) => `it resolved: ${JSON.stringify(value).slice(0, 200)}`,
    (thrown: Error) => thrown.message,
  );
}

/** Serves another address, which redirects or answers as it is told. */
function serveOther(answer: (request: Request) => Response | Promise<Response>) {
  const requests: string[] = [];
  const other = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch(request) {
      requests.push(`${request.method} ${request.headers.get("authorization")}`);
      return answer(request);
    },
  });
  closers.push(() => other.stop(true));
  return { origin: `http://127.0.0.1:${other.port}`, requests };
}

test("A list of tools that repeats a page is refused", async () => {
  const { bridge, config, server } = open({
    listTools: (cursor) => ({ tools: [], nextCursor: cursor === "a" ? "b" : "a" }),
  });
  expect(await findFailure(bridge.discover(config))).toContain("repeats a page");
  expect(server.ofMethod("tools/list").length).toBeLessThan(5);
});

test("A list of tools without an end is refused", async () => {
  let page = 0;
  const { bridge, config } = open({
    listTools() {
      page += 1;
      return { tools: [], nextCursor: `page-${page}` };
    },
  });
  expect(await findFailure(bridge.discover(config))).toContain("more than 300 pages");
});

test("More than 3,000 tools are refused, and 3,000 are discovered", async () => {
  let count = 3000;
  const { bridge, config } = open({
    listTools: () => ({
      tools: Array.from({ length: count }, (_, at) => ({
        name: `tool-${at}`,
        inputSchema: schema,
      })),
    }),
  });
  expect(await bridge.discover(config)).toHaveLength(3000);
  count = 3001;
  expect(await findFailure(bridge.discover(config))).toContain("more than 3000 tools");
});

test("A schema of 10 MiB is refused", async () => {
  const { bridge, config } = open({
    listTools: () => ({
      tools: [{ name: "a", inputSchema: { ...schema, description: mebibyte.repeat(10) } }],
    }),
  });
  expect(await findFailure(bridge.discover(config))).toContain("larger than");
});

test("A hint counts as destructive unless it says that the tool only reads", async () => {
  const { bridge, config } = open({
    listTools: () => ({
      tools: [
        { name: "none", inputSchema: schema },
        { name: "reads", inputSchema: schema, annotations: { readOnlyHint: true } },
        { name: "safe", inputSchema: schema, annotations: { destructiveHint: false } },
        { name: "again", inputSchema: schema, annotations: { idempotentHint: true } },
      ],
    }),
  });
  const found = await bridge.discover(config);
  expect(found.map(({ destructive, idempotent }) => [destructive, idempotent])).toEqual([
    [true, false],
    [false, false],
    [true, false],
    [true, true],
  ]);
});

test("An answer without an end is cut off, and the server's other calls go on", async () => {
  const { bridge, config } = open({
    callTool: (name) =>
      name === "quick"
        ? { content: [{ type: "text", text: "done" }] }
        : streamEvents(async (send, signal) => {
            while (!signal.aborted) await send(`: ${mebibyte}\n`);
          }),
  });
  expect(await findFailure(bridge.callTool(config, "endless"))).toContain("larger than");
  expect((await bridge.callTool(config, "quick")).result).toBe("done");
});

test("An answer that ends without a result fails at once", async () => {
  const { bridge, config } = open({ callTool: () => streamEvents(async () => {}) });
  expect(await findFailure(bridge.callTool(config, "empty"))).toContain("without a result");
});

test("An answer that stays open after its result is closed", async () => {
  const closed = Promise.withResolvers<void>();
  const { bridge, config } = open({
    callTool: (_, { id }) =>
      streamEvents(async (send, signal) => {
        const result = { content: [{ type: "text", text: "done" }] };
        await send({ jsonrpc: "2.0", id, result });
        try {
          for (;;) {
            await send(": still here\n\n");
            await new Promise((resolve) => setImmediate(resolve));
            signal.throwIfAborted();
          }
        } finally {
          closed.resolve();
        }
      }),
  });
  expect((await bridge.callTool(config, "any")).result).toBe("done");
  await closed.promise;
});

test("A redirect to another address is not followed, and its credentials stay", async () => {
  const secret = serveOther(() => Response.json({ keys: "of the cloud" }));
  const door = serveOther(() => Response.redirect(`${secret.origin}/latest/meta-data`, 307));
  const bridge = openTestBridge();
  closers.push(bridge.close);
  for (const transport of ["http", "sse"]) {
    const config = {
      transport,
      auth_mode: "bearer",
      token: "of-the-row",
      url: `${door.origin}/mcp`,
    };
    expect(await findFailure(bridge.callTool(config, "any"))).not.toContain("it resolved");
  }
  expect(door.requests.length).toBeGreaterThan(0);
  expect(secret.requests).toEqual([]);
});

test("An address in the hub's network that the row does not name is refused", async () => {
  const bridge = openTestBridge({ resolve: async () => ["169.254.169.254"] });
  closers.push(bridge.close);
  const { connector } = bridge;
  const call = { url: "http://metadata.test/mcp" };
  // `savedHosts` allows the host of the row, but never the address of a metadata service.
  expect(await findFailure(bridge.callTool(call, "any"))).toContain("metadata");
  expect(connector.key).toBe("mcp");
});

test("The endpoint of an HTTP+SSE server must be on the same origin", async () => {
  const secret = serveOther(() => new Response(null, { status: 202 }));
  const door = serveOther(() =>
    streamEvents(async (send) => {
      await send(`event: endpoint\ndata: ${secret.origin}/steal\n\n`);
      await new Promise((resolve) => setImmediate(resolve));
    }),
  );
  const bridge = openTestBridge();
  closers.push(bridge.close);
  const config = { transport: "sse", url: `${door.origin}/sse` };
  expect(await findFailure(bridge.callTool(config, "any"))).not.toContain("it resolved");
  expect(secret.requests).toEqual([]);
});

test("A flood of notifications on a server's own stream ends, and calls go on", async () => {
  let changes = 0;
  let streams = 0;
  const note = { jsonrpc: "2.0", method: "notifications/tools/list_changed" };
  const many = `data: ${JSON.stringify(note)}\n\n`.repeat(1000);
  const { bridge, config } = open(
    {
      listen() {
        streams += 1;
        return streamEvents(async (send, signal) => {
          while (!signal.aborted) await send(many);
        });
      },
      callTool: () => ({ content: [{ type: "text", text: "done" }] }),
    },
    {
      onChanged() {
        changes += 1;
      },
    },
  );
  for (let count = 0; count < 10; count += 1) {
    expect((await bridge.callTool(config, "any")).result).toBe("done");
  }
  expect(streams).toBe(1);
  expect(changes).toBeLessThanOrEqual(1);
});

test("Requests of a server for sampling, elicitation and roots are refused and logged once each", async () => {
  const { bridge, config, server } = open({
    callTool: (_, { id }) =>
      streamEvents(async (send) => {
        const methods = [
          "sampling/createMessage",
          "elicitation/create",
          "roots/list",
          "roots/list",
        ];
        for (const [at, method] of methods.entries()) {
          const params = { messages: [], maxTokens: 1, message: "?", requestedSchema: {} };
          await send({ jsonrpc: "2.0", id: `asked-${at}`, method, params });
        }
        const result = { content: [{ type: "text", text: "done" }] };
        await send({ jsonrpc: "2.0", id, result });
      }),
  });
  expect((await bridge.callTool(config, "any")).result).toBe("done");
  expect(bridge.logged.map(({ fields }) => fields)).toMatchObject([
    { method: "sampling/createMessage" },
    { method: "elicitation/create" },
    { method: "roots/list" },
  ]);
  const isAnswered = () =>
    server.received.filter(({ id }) => String(id).startsWith("asked-")).length === 4;
  while (!isAnswered()) await new Promise((resolve) => setImmediate(resolve));
});

test("An error of a tool is a failure with its words", async () => {
  const { bridge, config } = open({
    callTool: () => ({ isError: true, content: [{ type: "text", text: "No such page." }] }),
  });
  expect(await findFailure(bridge.callTool(config, "any"))).toBe("The tool failed: No such page.");
});

test.each([
  ["content that is not a list", { content: "text" }],
  ["a value of isError that is not true or false", { content: [], isError: "yes" }],
])("A result with %s fails with a sentence", async (fault, result) => {
  for (const isStateless of [false, true]) {
    const { bridge, config } = open({ isStateless, callTool: () => result });
    expect(await findFailure(bridge.callTool(config, "any"))).toBe(
      `The MCP server sent a result with ${fault}, which the protocol does not allow. Report this to the server's author.`,
    );
  }
});

test("A message that is not one of the protocol fails with a sentence", async () => {
  const { bridge, config } = open({
    callTool: (_, { id }) => Response.json({ jsonrpc: "2.0", id, result: { _meta: 5 } }),
  });
  expect(await findFailure(bridge.callTool(config, "any"))).toBe(
    "The MCP server sent a message that the protocol does not allow. Report this to the server's author.",
  );
});

test("Blocks of content that the protocol does not allow are left out, and the others stay", async () => {
  const words = { type: "text", text: "words" };
  const blocks = [
    words,
    null,
    { type: "video", data: "AAAA" },
    { type: "text", text: 5 },
    { type: "image", mimeType: "image/png" },
    { type: "audio", data: "AAAA" },
    { type: "resource" },
    { type: "resource", resource: { uri: "file:///a" } },
    { type: "resource_link", uri: "file:///a", name: "a", size: "large" },
  ];
  for (const isStateless of [false, true]) {
    const { bridge, config } = open({ isStateless, callTool: () => ({ content: blocks }) });
    const without = (member: string) =>
      `The MCP server sent it without a valid "${member}". Report this to the server's author.`;
    const unknown = "The hub does not know this type of content.";
    expect((await bridge.callTool(config, "any")).result).toEqual({
      content: [
        words,
        { type: "unknown", left_out: unknown },
        { type: "video", left_out: unknown },
        { type: "text", left_out: without("text") },
        { type: "image", left_out: without("data") },
        { type: "audio", left_out: without("mimeType") },
        { type: "resource", left_out: without("resource") },
        { type: "resource", left_out: without("text") },
        { type: "resource_link", left_out: without("size") },
      ],
    });
  }
});

test("Tools that are not valid are left out with the reason, and the others are discovered", async () => {
  const broken: [unknown, string][] = [
    [null, "It is not an object."],
    [{ inputSchema: schema }, "It has no name."],
    [{ name: 5, inputSchema: schema }, "It has no name."],
    [{ name: "no-schema" }, "Its input schema is missing."],
    [{ name: "text-schema", inputSchema: "object" }, "Its input schema is not an object."],
    [
      { name: "properties", inputSchema: { type: "object", properties: { a: "string" } } },
      "Its input schema has a property that is not a schema.",
    ],
    [
      { name: "required", inputSchema: { type: "object", required: "a" } },
      "Its input schema has a list of required properties that is not a list of names.",
    ],
    [{ name: "text", description: {}, inputSchema: schema }, "Its description is not a text."],
    [{ name: "title", title: 1, inputSchema: schema }, "Its title is not a text."],
  ];
  const valid = [
    { name: "first", inputSchema: schema },
    { name: "nulls", description: null, title: null, annotations: null, inputSchema: schema },
  ];
  for (const isStateless of [false, true]) {
    const tools = [valid[0], ...broken.map(([tool]) => tool), valid[1]];
    const { bridge, config } = open({ isStateless, listTools: () => ({ tools }) });
    const leftOut: [string, string][] = [];
    const leaveOut = (name: string, reason: string) => void leftOut.push([name, reason]);
    const found = await bridge.discover(config, { leaveOut });
    expect(found.map(({ sourceName }) => sourceName)).toEqual(["first", "nulls"]);
    expect(leftOut.map(([, reason]) => reason)).toEqual(
      broken.map(([, reason]) => `${reason} Report this to the server's author.`),
    );
    expect(leftOut.map(([name]) => name).slice(0, 4)).toEqual([
      ...["(tool 2)", "(tool 3)", "(tool 4)", "no-schema"],
    ]);
  }
});

test("An argument that a tool wants as a header is sent as one, by the newer protocol", async () => {
  const properties = { region: { type: "string", "x-mcp-header": "Region" } };
  const inputSchema = cleanSchema({ type: "object", properties }, (text) => text);
  const tool = { sourceName: "any", description: "", inputSchema, destructive: true };
  const { bridge, config, server } = open({ isStateless: true });
  await bridge.callTool(config, tool, { region: "north" });
  const [call] = server.ofMethod("tools/call");
  expect(call?.headers.get("mcp-param-region")).toBe("north");
});

test.each([
  ["a list of tools that is not a list", { tools: {} }],
  ["a list of tools whose cursor is not a text", { tools: [], nextCursor: 1 }],
])("An answer with %s is refused with a sentence", async (fault, list) => {
  const { bridge, config } = open({ listTools: () => list });
  expect(await findFailure(bridge.discover(config))).toStartWith(`The MCP server has ${fault}, so`);
});

test("A message with too many values or levels is refused before it is parsed", async () => {
  const many = `{"content":[],"structuredContent":{"a":[${"[],".repeat(200_000)}1]}}`;
  const deep = `{"content":[],"structuredContent":${'{"a":'.repeat(20_000)}1${"}".repeat(20_000)}}`;
  const { bridge, config } = open({
    callTool(name, { id }) {
      const result = name.startsWith("many") ? many : deep;
      const text = `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`;
      if (name.endsWith("events")) return streamEvents((send) => send(`data: ${text}\n\n`));
      return new Response(text, { headers: { "content-type": "application/json" } });
    },
  });
  for (const form of ["json", "events"]) {
    expect(await findFailure(bridge.callTool(config, `many-${form}`))).toContain("100,000 values");
    expect(await findFailure(bridge.callTool(config, `deep-${form}`))).toContain("256 levels");
  }
});

test("A flood of progress is reported ten times a second at most, and its end always", async () => {
  const { bridge, config } = open({
    callTool: (_, { id, params }) =>
      streamEvents(async (send) => {
        const { progressToken } = params._meta as { progressToken: unknown };
        for (let progress = 1; progress <= 5000; progress += 1) {
          const note = { progressToken, progress, total: 5000 };
          await send({ jsonrpc: "2.0", method: "notifications/progress", params: note });
        }
        await send({ jsonrpc: "2.0", id, result: { content: [] } });
      }),
  });
  const { received } = await bridge.callTool(config, "any");
  const reports = received.filter(([what]) => what === "progress");
  expect(reports.length).toBeLessThan(500);
  expect(reports.at(-1)).toEqual(["progress", 5000, 5000]);
});

test("An HTTP+SSE connection that breaks fails its calls, and the next call connects again", async () => {
  let end = () => {};
  let connections = 0;
  let send: (message: unknown) => Promise<void> = async () => {};
  const server = serveOther(async (request) => {
    if (request.method === "GET") {
      connections += 1;
      return streamEvents(async (write) => {
        send = write;
        await write("event: endpoint\ndata: /messages\n\n");
        await new Promise<void>((resolve) => {
          end = resolve;
        });
      });
    }
    // The client under test sends this shape.
    const { id, method, params } = (await request.json()) as {
      id: number;
      method: string;
      params: { name: string };
    };
    if (method === "initialize") {
      const serverInfo = { name: "test", version: "1" };
      const result = { protocolVersion: "2024-11-05", capabilities: { tools: {} }, serverInfo };
      await send({ jsonrpc: "2.0", id, result });
    } else if (method === "tools/call") {
      const result = { content: [{ type: "text", text: "done" }] };
      if (params.name === "break") end();
      else await send({ jsonrpc: "2.0", id, result });
    }
    return new Response(null, { status: 202 });
  });
  const bridge = openTestBridge();
  closers.push(bridge.close);
  closers.push(() => end());
  const config = { transport: "sse", url: `${server.origin}/sse` };
  expect((await bridge.callTool(config, "any")).result).toBe("done");
  expect(await findFailure(bridge.callTool(config, "break"))).toContain("closed the session");
  expect((await bridge.callTool(config, "any")).result).toBe("done");
  expect(connections).toBe(2);
});

test("A message whose nesting is divided between lines is refused before it is parsed", async () => {
  const { bridge, config } = open({
    callTool: () =>
      streamEvents(async (send) => {
        const lines = `data: ${"[".repeat(1000)}\n`.repeat(20);
        for (let count = 0; count < 20; count += 1) await send(lines);
        await send("\n");
      }),
  });
  expect(await findFailure(bridge.callTool(config, "any"))).toContain("nested deeper");
});

test("Thousands of requests of a server get few answers, and its own answer still counts", async () => {
  const { bridge, config, server } = open({
    callTool: (_, { id }) =>
      streamEvents(async (send) => {
        const toPing = (at: number) =>
          `data: ${JSON.stringify({ jsonrpc: "2.0", id: `p${at}`, method: "ping" })}\n\n`;
        await send(Array.from({ length: 5000 }, (_, at) => toPing(at)).join(""));
        await send({ jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } });
      }),
  });
  expect((await bridge.callTool(config, "any")).result).toBe("done");
  const answers = server.received.filter(({ method }) => method === "");
  expect(answers.length).toBeLessThanOrEqual(10);
});

test("The answers of a JSON list beyond the expected one are not read", async () => {
  const { bridge, config, server } = open({
    callTool: (_, { id }) => {
      const ping = { jsonrpc: "2.0", id: "p", method: "ping" };
      const answer = { jsonrpc: "2.0", id, result: { content: [{ type: "text", text: "done" }] } };
      return Response.json([...Array.from({ length: 500 }, () => ping), answer]);
    },
  });
  expect((await bridge.callTool(config, "any")).result).toBe("done");
  // By then, the answers to the first ones have arrived.
  await bridge.health(config);
  const answers = server.received.filter(({ method }) => method === "");
  expect(answers.length).toBeLessThanOrEqual(10);
});

test("A server that ends its stream at once is asked for another one only once a second", async () => {
  let streams = 0;
  const { bridge, config } = open({
    listen() {
      streams += 1;
      return streamEvents((send) => send("retry: 0\nid: 1\ndata:\n\n"));
    },
  });
  for (let count = 0; count < 100; count += 1) await bridge.callTool(config, "any");
  expect(streams).toBeLessThan(20);
});
