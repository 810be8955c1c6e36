/** An MCP server with one tool, which sends three reports and goes on after each only when its client has it. */
export async function serveSlowTool() {
  let arrived = 0;
  const waiting: Array<() => void> = [];
  const confirm = (count: number) => {
    arrived = Math.max(arrived, count);
    for (const wake of waiting.splice(0)) wake();
  };
  const waitUntil = async (count: number) => {
    while (arrived < count) await new Promise<void>((wake) => waiting.push(wake));
  };
  const encoder = new TextEncoder();

  function answerCall(id: unknown, progressToken: unknown): Response {
    async function* frames() {
      const toEvent = (message: object) =>
        encoder.encode(
          `event: message\ndata: ${JSON.stringify({ jsonrpc: "2.0", ...message })}\n\n`,
        );
      for (const progress of [1, 2, 3]) {
        const params = { progressToken, progress, total: 3 };
        yield toEvent({ method: "notifications/progress", params });
        await waitUntil(progress);
      }
      yield toEvent({ id, result: { content: [{ type: "text", text: "slow is done" }] } });
    }
    return new Response(frames(), { headers: { "content-type": "text/event-stream" } });
  }

  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    async fetch(request) {
      if (request.method !== "POST") return new Response(null, { status: 405 });
      const { id, method, params } = Object(await request.json());
      if (id === undefined) return new Response(null, { status: 202 });
      if (method === "tools/call") return answerCall(id, Object(params?._meta).progressToken);
      const results: Record<string, object> = {
        initialize: {
          protocolVersion: params?.protocolVersion,
          capabilities: { tools: {} },
          serverInfo: { name: "slow", version: "1" },
        },
        "tools/list": {
          tools: [
            { name: "slow", inputSchema: { type: "object" }, annotations: { readOnlyHint: true } },
          ],
        },
      };
      return Response.json({ jsonrpc: "2.0", id, result: results[method] ?? {} });
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    /** Tells the tool how many reports its client has. */
    confirm,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}
