import type { Server } from "bun";
import type { Hono } from "hono";
import { HubError } from "../errors.ts";
import { toUrlHost } from "../lib/bind-host.ts";
import type { AppEnv } from "./app-env.ts";

/** Silence for this long ends a connection: a body that trickles in, a client that went to sleep. */
export const idleSecondsMax = 30;

const stopMsMax = 10_000;

export type HttpServer = {
  /** Where it listens: the port that was asked for, or the free one it took. */
  host: string;
  port: number;
  /** Takes no new requests, lets those under way end, then cuts what is left. */
  stop(): Promise<void>;
};

type ServerOptions = {
  host: string;
  /** 0 takes a free one. */
  port: number;
  /** Makes what answers, once the port is known. */
  createApp(port: number): Hono<AppEnv>;
};

/** Listens. Throws `bad_configuration` when it cannot. */
export function createHttpServer({ host, port, createApp }: ServerOptions): HttpServer {
  let app: Hono<AppEnv> | null = null;
  const server = listen(host, port, (req, own) =>
    // Set below, before the event loop hands over the first request.
    app === null ? new Response(null, { status: 503 }) : app.fetch(req, { server: own }),
  );
  app = createApp(server.port ?? port);
  return {
    host,
    port: server.port ?? port,
    async stop() {
      const cut = setTimeout(() => server.stop(true), stopMsMax);
      await server.stop();
      clearTimeout(cut);
    },
  };
}

type Fetch = (req: Request, server: Server<undefined>) => Response | Promise<Response>;

function listen(host: string, port: number, fetch: Fetch): Server<undefined> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      fetch,
      idleTimeout: idleSecondsMax,
      // readBody holds the limit, after the bearer was checked and with an answer that says why.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
  } catch (thrown) {
    const isTaken = thrown instanceof Error && "code" in thrown && thrown.code === "EADDRINUSE";
    const reason = isTaken
      ? "another program listens there, perhaps a hub. Stop it, or set HUB_PORT."
      : "this machine has no such address, or this program may not use it. Set HUB_HOST or HUB_PORT.";
    throw new HubError(
      "bad_configuration",
      `Cannot listen on ${toUrlHost(host)}:${port}: ${reason}`,
      { cause: thrown },
    );
  }
}
