import { createInterface } from "node:readline";

/** Where a server that never heard of the stateless mode stands. */
export type SessionModeServer = AsyncDisposable & { url: string };

/** The hub as it was before 2026-07-28: a request of that revision is no good to it. */
export function startSessionModeServer(hubUrl: string): SessionModeServer {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 0,
    async fetch(req) {
      const body = await req.text();
      if (body !== "" && isStateless(JSON.parse(body))) {
        return Response.json(refusal(null, -32000), { status: 400 });
      }
      const headers = new Headers(req.headers);
      headers.set("host", new URL(hubUrl).host);
      const { signal, method } = req;
      const forwarded = { method, headers, signal, ...(body !== "" && { body }) };
      // A client that leaves takes the forwarded request along.
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

function refusal(id: unknown, code: number) {
  return { jsonrpc: "2.0", id, error: { code, message: "Bad Request" } };
}

/** The same over stdio: stands between a client and the command it is given. */
async function serveStdio(command: string[]): Promise<void> {
  const hub = Bun.spawn(command, { stdin: "pipe", stdout: "inherit", stderr: "inherit" });
  for await (const line of createInterface({ input: process.stdin })) {
    const message: Message = JSON.parse(line);
    if (isStateless(message)) {
      process.stdout.write(`${JSON.stringify(refusal(message.id, -32601))}\n`);
    } else {
      hub.stdin.write(`${line}\n`);
      await hub.stdin.flush();
    }
  }
  await hub.stdin.end();
  await hub.exited;
}

if (import.meta.main) await serveStdio(process.argv.slice(2));
