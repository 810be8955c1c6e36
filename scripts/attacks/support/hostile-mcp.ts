/**
 * An MCP server over Streamable HTTP that sends what is expensive to read. The name of the called tool, or the
 * path below which its tools are listed, chooses the attack. Prints its port.
 */
type Message = { id?: number | string; method?: string; params?: Record<string, unknown> };

type Attack = {
  /** What is sent before the result; called again and again until it returns null. */
  toChunks(message: Message): Iterator<string | Uint8Array>;
  /** The rest of the answer; a plain result by default. */
  end?(message: Message): string;
};

const mebibyte = 1024 * 1024;
const filling = "x".repeat(1000);
const toEvent = (message: object) => `data: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`;
const toNote = (method: string, params: object = {}) => toEvent({ method, params });

const toProgress = (token: unknown, progress: number, message?: string) =>
  toNote("notifications/progress", { progressToken: token, progress, message });

const readToken = ({ params }: Message) =>
  (params?._meta as { progressToken?: unknown })?.progressToken;

/** Makes a text again and again, in chunks of so many bytes. */
function* repeat(make: (count: number) => string, events: number, chunkBytes = 65_536) {
  let chunk = "";
  for (let count = 1; count <= events; count += 1) {
    chunk += make(count);
    if (chunk.length < chunkBytes) continue;
    yield chunk;
    chunk = "";
  }
  yield chunk;
}

const change = toNote("notifications/tools/list_changed");
const flat48k = `[${"0,".repeat(48_000)}0]`;

const attacks: { [name: string]: Attack } = {
  progress: {
    toChunks: (message) => {
      const token = readToken(message);
      return repeat((count) => toProgress(token, count), 60_000);
    },
  },
  progress_one_chunk: {
    toChunks: (message) => {
      const token = readToken(message);
      return repeat((count) => toProgress(token, count), 60_000, 8 * mebibyte);
    },
  },
  progress_long: {
    toChunks: (message) => {
      const token = readToken(message);
      return repeat((count) => toProgress(token, count, "y".repeat(100_000)), 70);
    },
  },
  progress_huge: {
    toChunks: (message) => {
      const token = readToken(message);
      return repeat(() => toProgress(token, 1, "y".repeat(7 * mebibyte)), 1);
    },
  },
  progress_unknown: { toChunks: () => repeat((count) => toProgress(`no-${count}`, count), 60_000) },
  logs: {
    toChunks: () =>
      repeat(() => toNote("notifications/message", { level: "error", data: "x" }), 60_000),
  },
  list_changed: { toChunks: () => repeat(() => change, 80_000) },
  pings: { toChunks: () => repeat((id) => toEvent({ id: `p${id}`, method: "ping" }), 60_000) },
  sampling: {
    toChunks: () =>
      repeat(
        (id) => toEvent({ id: `s${id}`, method: "sampling/createMessage", params: {} }),
        60_000,
      ),
  },
  unknown_ids: { toChunks: () => repeat((id) => toEvent({ id: `u${id}`, result: {} }), 60_000) },
  not_json: { toChunks: () => repeat(() => "data: {\n\n", 600_000) },
  comments: { toChunks: () => repeat(() => ":\n", 3_000_000) },
  comment_bytes: { toChunks: () => repeat(() => ":\n", 100_000, 1) },
  one_byte: { toChunks: () => repeat(() => "x", 300_000, 1) },
  event_names: { toChunks: () => repeat(() => `event: ${filling}\n`, 7_000) },
  ids: { toChunks: () => repeat((count) => `id: ${count}\n`, 700_000) },
  empty_events: { toChunks: () => repeat(() => "data:\n\n", 1_000_000) },
  data_lines: { toChunks: () => repeat(() => "data: [\n", 900_000), end: () => "\n\n" },
  nested_data_lines: {
    toChunks: () => repeat(() => `data: ${"[".repeat(1000)}\n`, 7_000),
    end: () => "\n\n",
  },
  carriage_returns: { toChunks: () => repeat(() => `:\r`, 3_000_000) },
  long_line: { toChunks: () => repeat(() => filling, 8_000) },
  values_48k: {
    toChunks: () => repeat(() => "", 0),
    end: ({ id }) =>
      toEvent({ id, result: { content: [], structuredContent: { a: "@" } } }).replace(
        '"@"',
        flat48k,
      ),
  },
  values_99k: {
    toChunks: () => repeat(() => "", 0),
    end: ({ id }) =>
      toEvent({ id, result: { content: [], structuredContent: { a: "@" } } }).replace(
        '"@"',
        `[${'{"a":1},'.repeat(49_000)}0]`,
      ),
  },
  digits: {
    toChunks: () => repeat(() => "", 0),
    end: ({ id }) =>
      toEvent({ id, result: { content: [], structuredContent: { a: "@" } } }).replace(
        '"@"',
        `[${"12345678901234567890,".repeat(99_000)}0]`,
      ),
  },
  blocks: {
    toChunks: () => repeat(() => "", 0),
    end: ({ id }) =>
      toEvent({ id, result: { content: Array(30_000).fill({ type: "text", text: "x" }) } }),
  },
  images: {
    toChunks: () => repeat(() => "", 0),
    end: ({ id }) =>
      toEvent({
        id,
        result: {
          content: Array(3).fill({
            type: "image",
            mimeType: "image/png",
            data: "A".repeat(2 * mebibyte),
          }),
        },
      }),
  },
  escapes: {
    toChunks: () => repeat(() => "", 0),
    end: ({ id }) =>
      toEvent({ id, result: { content: [{ type: "text", text: "@" }] } }).replace(
        "@",
        "\\u0041".repeat(1_200_000),
      ),
  },
};

/** What the lists of tools contain, by the path of the server. */
const lists: { [path: string]: (page: number) => { tools: unknown[]; nextCursor?: string } } = {
  "/": () => ({
    tools: Object.keys(attacks).map((name) => ({ name, inputSchema: { type: "object" } })),
  }),
  "/many": () => ({ tools: toTools(3_000, 50) }),
  "/6000": (page) => ({
    tools: toTools(1_000, 50, page),
    ...(page < 5 && { nextCursor: `${page + 1}` }),
  }),
  "/wide": () => ({ tools: toTools(90, 900) }),
  "/large": (page) => ({
    tools: toTools(100, 40, page, "d".repeat(1500)),
    ...(page < 29 && { nextCursor: `${page + 1}` }),
  }),
  "/pages": (page) => ({ tools: [], nextCursor: `${page + 1}` }),
  "/cursors": (page) => ({ tools: [], nextCursor: `${page + 1}.${"0".repeat(7 * mebibyte)}` }),
  "/names": (page) => ({
    tools: Array.from({ length: 3 }, (_, at) => ({
      name: `${page}${at}`.padEnd(2 * mebibyte, "n"),
    })),
    ...(page < 3 && { nextCursor: `${page + 1}` }),
  }),
  "/bad": () => ({ tools: Array(95_000).fill(0) }),
};

function toTools(count: number, properties: number, page = 0, description = ""): object[] {
  return Array.from({ length: count }, (_, at) => ({
    name: `tool_${page}_${at}`,
    description: `Does a thing ${page} ${at} ${description}`,
    inputSchema: {
      type: "object",
      properties: Object.fromEntries(
        Array.from({ length: Math.ceil(properties / 5) }, (_, index) => [
          `p${index}`,
          { type: "string", description: "one" },
        ]),
      ),
    },
  }));
}

const bodies = new Map<string, string>();
function toList(path: string, page: number): string {
  const key = `${path} ${page}`;
  const known = bodies.get(key) ?? JSON.stringify(lists[path]?.(page) ?? { tools: [] });
  if (bodies.size < 400 && path !== "/cursors") bodies.set(key, known);
  return known;
}

function stream(attack: Attack, message: Message): Response {
  const chunks = attack.toChunks(message);
  const { id } = message;
  const encoder = new TextEncoder();
  const source = {
    async pull(controller: ReadableStreamDefaultController<Uint8Array>) {
      for (;;) {
        const { value, done } = chunks.next();
        if (done === true) break;
        if (value === "") continue;
        // A chunk of one byte is sent alone.
        if (value.length < 10) await new Promise((resolve) => setImmediate(resolve));
        controller.enqueue(typeof value === "string" ? encoder.encode(value) : value);
        return;
      }
      controller.enqueue(
        encoder.encode(attack.end?.(message) ?? `\n\n${toEvent({ id, result: { content: [] } })}`),
      );
      controller.close();
    },
  };
  const body = new ReadableStream(source, { highWaterMark: 1 });
  return new Response(body, { headers: { "content-type": "text/event-stream" } });
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  idleTimeout: 0,
  async fetch(request) {
    const { pathname, searchParams } = new URL(request.url);
    const unasked = searchParams.get("unasked");
    if (request.method === "GET") {
      const attack = unasked === null ? undefined : attacks[unasked];
      if (unasked === "retry")
        return new Response("retry: 0\nid: 1\ndata:\n\n", {
          headers: { "content-type": "text/event-stream" },
        });
      return attack === undefined
        ? new Response(null, { status: 405 })
        : stream(attack, { method: "GET" });
    }
    if (request.method !== "POST") return new Response(null, { status: 204 });
    const message = Object(await request.json()) as Message;
    const { id, method, params } = message;
    if (id === undefined || method === undefined) return new Response(null, { status: 202 });
    if (method === "tools/call") {
      const attack = attacks[String(params?.name)];
      if (attack !== undefined) return stream(attack, message);
    }
    const answer = (result: string) =>
      new Response(`{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`, {
        headers: { "content-type": "application/json", "mcp-session-id": "s" },
      });
    if (method === "tools/list")
      return answer(toList(pathname, Math.trunc(Number(params?.cursor ?? 0))));
    if (method === "initialize") {
      return answer(
        JSON.stringify({
          protocolVersion: "2025-11-25",
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: "hostile", version: "1" },
        }),
      );
    }
    if (method === "ping") return answer("{}");
    return new Response(
      `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"error":{"code":-32601,"message":"no"}}`,
      {
        headers: { "content-type": "application/json" },
      },
    );
  },
});
console.log(server.port);

export {};

// Ends with the program that started it.
for await (const _ of Bun.stdin.stream());
process.exit();
