import type { Server } from "bun";
import { HubError } from "../errors.ts";
import { toUrlHost } from "../lib/bind-host.ts";
import type { App } from "./routes.ts";

/** A connection without traffic for this long is closed. */
export const idleSecondsMax = 30;

const stopMsMax = 10_000;

export type HttpServer = {
  /** The address on which it listens. */
  host: string;
  port: number;
  /** Stops listening, waits for running requests, then closes the connections that are left. */
  stop(): Promise<void>;
};

type ServerOptions = {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Creates the app when the port is known. */
  createApp(port: number): Pick<App, "fetch">;
};

/** Starts to listen. Throws `bad_configuration` if that fails. */
export function createHttpServer({ host, port, createApp }: ServerOptions): HttpServer {
  let app: Pick<App, "fetch"> | null = null;
  const server = listen(host, port, (req, own) =>
    // Set below, before the event loop delivers the first request.
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
      // readBody enforces the limit, after authentication and with an error message.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
  } catch (thrown) {
    const isTaken = thrown instanceof Error && "code" in thrown && thrown.code === "EADDRINUSE";
    const reason = isTaken
      ? "another program, perhaps a hub, already uses this port. Stop it, or set HUB_PORT."
      : "this machine has no such address, or this program is not allowed to use it. Set HUB_HOST or HUB_PORT.";
    throw new HubError(
      "bad_configuration",
      `Cannot listen on ${toUrlHost(host)}:${port}: ${reason}`,
      { cause: thrown },
    );
  }
}
