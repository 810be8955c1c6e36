/** One message that the test server received. */
export type ReceivedMessage = {
  method: string;
  id: number | string | undefined;
  params: Record<string, unknown>;
  session: string | null;
  headers: Headers;
};

type Answer = Record<string, unknown> | Response;

export type ServerScript = {
  /** Speaks the newer protocol, which has no sessions. */
  isStateless?: boolean;
  /** The tools of a page; the cursor is null for the first one. */
  listTools?(cursor: string | null, message: ReceivedMessage): Answer | Promise<Answer>;
  callTool?(name: string, message: ReceivedMessage): Answer | Promise<Answer>;
  /** The answer to the request for a stream; 405 by default. */
  listen?(request: Request): Response;
};

const noTools = { tools: [] };

const discovered = {
  ttlMs: 0,
  cacheScope: "private",
  supportedVersions: ["2026-07-28"],
  capabilities: { tools: {} },
};

/** A server of the protocol 2025-11-25, or of 2026-07-28, on a free port, which does what the script says. */
export function serveMcp(script: ServerScript) {
  const received: ReceivedMessage[] = [];
  const sessions = new Set<string>();
  let count = 0;

  async function answer(message: ReceivedMessage): Promise<Answer> {
    const { method, params } = message;
    if (method === "ping") return {};
    if (method === "tools/list") {
      const cursor = typeof params.cursor === "string" ? params.cursor : null;
      return (await script.listTools?.(cursor, message)) ?? noTools;
    }
    if (method === "tools/call") {
      return (await script.callTool?.(String(params.name), message)) ?? { content: [] };
    }
    return {};
  }

  const server = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    idleTimeout: 0,
    async fetch(request) {
      const session = request.headers.get("mcp-session-id");
      if (request.method === "DELETE") {
        sessions.delete(session ?? "");
        return new Response(null, { status: 204 });
      }
      if (request.method === "GET") {
        return script.listen?.(request) ?? new Response(null, { status: 405 });
      }
      // The client under test sends an object of this shape, or the test fails.
      const body = (await request.json()) as Partial<ReceivedMessage>;
      const { method = "", id, params = {} } = body;
      const message = { method, id, params, session, headers: request.headers };
      received.push(message);
      if (script.isStateless === true) {
        const isDiscovery = method === "server/discover";
        const result = isDiscovery ? discovered : await answer(message);
        if (result instanceof Response) return result;
        return Response.json({ jsonrpc: "2.0", id, result: { resultType: "complete", ...result } });
      }
      if (method === "initialize") {
        count += 1;
        const name = `session-${count}`;
        sessions.add(name);
        const result = {
          protocolVersion: "2025-11-25",
          capabilities: { tools: { listChanged: true } },
          serverInfo: { name: "test", version: "1" },
        };
        return Response.json(
          { jsonrpc: "2.0", id, result },
          { headers: { "mcp-session-id": name } },
        );
      }
      if (session === null) return new Response("Bad Request", { status: 400 });
      if (!sessions.has(session)) return new Response("Session not found", { status: 404 });
      if (id === undefined || method === "") return new Response(null, { status: 202 });
      const result = await answer(message);
      return result instanceof Response ? result : Response.json({ jsonrpc: "2.0", id, result });
    },
  });

  return {
    url: `http://127.0.0.1:${server.port}/mcp`,
    received,
    /** Messages of one method. */
    ofMethod: (method: string) => received.filter((message) => message.method === method),
    sessions,
    close: () => server.stop(true),
  };
}

/** An answer as events, which `write` sends one by one. */
export function streamEvents(
  write: (send: (message: unknown) => Promise<void>, signal: AbortSignal) => Promise<void>,
): Response {
  const gone = new AbortController();
  const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>();
  const writer = writable.getWriter();
  const send = async (message: unknown) => {
    const text = typeof message === "string" ? message : `data: ${JSON.stringify(message)}\n\n`;
    await writer.write(Buffer.from(text));
  };
  write(send, gone.signal)
    .then(() => writer.close())
    .catch(() => {})
    .finally(() => gone.abort());
  return new Response(readable, { headers: { "content-type": "text/event-stream" } });
}
