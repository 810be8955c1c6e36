import { createInterface } from "node:readline";

/** A server that supports only the session mode. */
export type SessionModeServer = AsyncDisposable & { url: string };

/** Starts a proxy before the hub that refuses requests of the stateless revision 2026-07-28. */
export function startSessionModeServer(hubUrl: string): SessionModeServer {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(req) {
      const body = await req.text();
      if (body !== "" && isStateless(JSON.parse(body))) {
        return Response.json(toRefusal(null, -32000), { status: 400 });
      }
      const headers = new Headers(req.headers);
      headers.set("host", new URL(hubUrl).host);
      const { signal, method } = req;
      const forwarded = { method, headers, signal, ...(body !== "" && { body }) };
      // When the client closes its connection, the forwarded request is aborted too.
      return await fetch(`${hubUrl}/mcp`, forwarded).catch(
        () => new Response(null, { status: 502 }),
      );
    },
  });
  return {
    url: `http://127.0.0.1:${server.port}`,
    [Symbol.asyncDispose]: () => server.stop(true),
  };
}

type Message = { id?: unknown; params?: { _meta?: Record<string, unknown> } };

function isStateless({ params }: Message): boolean {
  return params?._meta?.["io.modelcontextprotocol/protocolVersion"] !== undefined;
}

function toRefusal(id: unknown, code: number) {
  return { jsonrpc: "2.0", id, error: { code, message: "Bad Request" } };
}

/** The same filter over stdio, between a client and the given command. */
async function serveStdio(command: string[]): Promise<void> {
  const hub = Bun.spawn(command, { stdin: "pipe", stdout: "inherit", stderr: "inherit" });
  for await (const line of createInterface({ input: process.stdin })) {
    const message: Message = JSON.parse(line);
    if (isStateless(message)) {
      process.stdout.write(`${JSON.stringify(toRefusal(message.id, -32601))}\n`);
    } else {
      hub.stdin.write(`${line}\n`);
      await hub.stdin.flush();
    }
  }
  await hub.stdin.end();
  await hub.exited;
}

if (import.meta.main) await serveStdio(process.argv.slice(2));
