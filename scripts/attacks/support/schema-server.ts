/**
 * An MCP server whose tools have input schemas that are expensive to check. Prints its port, and ends with its
 * standard input.
 */
const numbers = (count: number) => Array.from({ length: count }, (_, at) => at);
const longName = "d".repeat(3_000);
const names = (count: number) => numbers(count).map((at) => `name_${at}`);

/** A schema for the param `value`. */
const schemas: { [tool: string]: object } = {
  consts: { anyOf: numbers(1_500).map((at) => ({ const: `choice ${at}` })) },
  enums: { items: { enum: numbers(50).map((at) => `${at}${"x".repeat(3_000)}`) } },
  lengths: { anyOf: numbers(1_500).map((at) => ({ maxLength: at })) },
  formats: { anyOf: numbers(1_500).map(() => ({ format: "email" })) },
  members: { anyOf: numbers(1_500).map((at) => ({ maxProperties: at })) },
  unique: { anyOf: numbers(1_500).map((at) => ({ uniqueItems: true, maxItems: at })) },
  dependent: {
    items: { dependentRequired: Object.fromEntries(names(3_000).map((name) => [name, ["b"]])) },
  },
  patterns: {
    anyOf: numbers(300).map((at) => ({
      patternProperties: { [`^(?=${at})`]: false },
      maxItems: 1,
    })),
  },
  references: { items: { $ref: `#/$defs/${longName}` } },
};

const tools = Object.entries(schemas).map(([name, schema]) => ({
  name,
  description: `A tool of ${name}.`,
  inputSchema: {
    type: "object",
    properties: { value: schema },
    $defs: { [longName]: { type: "integer" } },
  },
}));

type Message = { id?: number; method?: string; params?: { protocolVersion?: string } };

function answer({ method, params }: Message): object {
  if (method === "initialize") {
    const protocolVersion = params?.protocolVersion ?? "2025-06-18";
    const serverInfo = { name: "schemas", version: "1" };
    return { protocolVersion, capabilities: { tools: {} }, serverInfo };
  }
  if (method === "tools/list") return { tools };
  return { content: [{ type: "text", text: "called" }] };
}

const server = Bun.serve({
  port: 0,
  hostname: "127.0.0.1",
  async fetch(request) {
    if (request.method !== "POST") return new Response(null, { status: 405 });
    // The hub sends messages of JSON-RPC.
    const message = (await request.json()) as Message;
    if (message.id === undefined) return new Response(null, { status: 202 });
    return Response.json({ jsonrpc: "2.0", id: message.id, result: answer(message) });
  },
});
console.log(server.port);
for await (const _ of Bun.stdin.stream());
await server.stop(true);

// Makes it a module.
export {};
