import { McpServer } from "@modelcontextprotocol/sdk/server/mcp.js";
import { WebStandardStreamableHTTPServerTransport } from "@modelcontextprotocol/sdk/server/webStandardStreamableHttp.js";

type Tool = { description: string; answer: string };

/** An MCP server of the official library 1.x over HTTP: one session for each client, with the tool `look`. */
export function serveOfficial() {
  const sessions = new Map<string, WebStandardStreamableHTTPServerTransport>();
  const servers = new Set<McpServer>();

  const tools = new Map([["look", { description: "Looks around.", answer: "a garden" }]]);

  function register(server: McpServer, name: string, { description, answer }: Tool): void {
    server.registerTool(name, { description }, () => ({
      content: [{ type: "text", text: answer }],
    }));
  }

  async function open(): Promise<WebStandardStreamableHTTPServerTransport> {
    const server = new McpServer({ name: "official", version: "1.0.0" });
    for (const [name, tool] of tools) register(server, name, tool);
    const transport = new WebStandardStreamableHTTPServerTransport({
      sessionIdGenerator: () => crypto.randomUUID(),
      onsessioninitialized: (id) => void sessions.set(id, transport),
    });
    servers.add(server);
    await server.connect(transport);
    return transport;
  }

  const listening = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const id = request.headers.get("mcp-session-id");
      const session = id === null ? await open() : sessions.get(id);
      if (session === undefined) return new Response("Session not found", { status: 404 });
      return await session.handleRequest(request);
    },
  });
  return {
    url: `http://127.0.0.1:${listening.port}/mcp`,
    /** The library tells the clients of all sessions. */
    addTool(name: string, tool: Tool): void {
      tools.set(name, tool);
      for (const server of servers) register(server, name, tool);
    },
    async [Symbol.asyncDispose]() {
      for (const server of servers) await server.close();
      await listening.stop(true);
    },
  };
}
