type Message = { id?: number | string; method?: string };

const greeting = { greeting: "Hello, Ada" };
const result = {
  content: [{ type: "text", text: JSON.stringify(greeting) }],
  structuredContent: greeting,
};

/** The reply of an MCP server with one tool that returns at once. Null for a notification. */
export function answerMcp(message: unknown): object | null {
  // The cast is safe: the bench sends such messages alone.
  const { id, method } = message as Message;
  if (id === undefined) return null;
  const reply = (given: object) => ({ jsonrpc: "2.0", id, result: given });
  switch (method) {
    case "initialize":
      return reply({
        protocolVersion: "2025-11-25",
        capabilities: { tools: {} },
        serverInfo: { name: "bench", version: "1" },
      });
    case "tools/list":
      return reply({ tools: [{ name: "greet", inputSchema: { type: "object" } }] });
    case "tools/call":
      return reply(result);
    default:
      return { jsonrpc: "2.0", id, error: { code: -32601, message: "Method not found" } };
  }
}
