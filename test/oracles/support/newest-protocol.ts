import { createMcpHandler, InMemoryServerEventBus, McpServer } from "@modelcontextprotocol/server";

/** A server of the official library, over HTTP, that refuses all protocol versions before 2026-07-28. */
export function serveNewestProtocol() {
  const versions = new Set<string | null>();
  const bus = new InMemoryServerEventBus();
  const toServer = () => {
    const server = new McpServer({ name: "newest", version: "1" });
    server.registerTool("greet", { description: "Says hello." }, () => ({
      content: [{ type: "text", text: "hello" }],
    }));
    return server;
  };
  const handler = createMcpHandler(toServer, { legacy: "reject", bus });
  const listening = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    fetch(request) {
      versions.add(request.headers.get("mcp-protocol-version"));
      return handler.fetch(request);
    },
  });
  return {
    url: `http://127.0.0.1:${listening.port}/mcp`,
    /** The protocol versions in the headers of all requests. */
    versions,
    countListeners: () => bus.listenerCount,
    sayToolsChanged: () => handler.notify.toolsChanged(),
    async [Symbol.asyncDispose]() {
      await handler.close();
      await listening.stop(true);
    },
  };
}
