import { networkInterfaces } from "node:os";
import type { Server } from "bun";
import { HubError } from "../errors.ts";
import { isLoopbackHost, toUrlHost } from "../lib/network/bind-host.ts";
import { systemTimers, type Timers } from "../lib/time/timers.ts";
import type { App } from "./app.ts";
import { idleSecondsMax } from "./bodies/slow-bodies.ts";
import { createPortions } from "./queue/request-portions.ts";

const stopMsMax = 10_000;

export type HttpServer = {
  /** The address on which it listens. */
  host: string;
  port: number;
  /**
   * Drains: for `drainMs`, requests are served as before, and each answer closes its connection. Then
   * stops listening, waits for running requests, and closes the connections that are left.
   */
  stop(): Promise<void>;
};

type ServerOptions = {
  host: string;
  /** 0 picks a free port. */
  port: number;
  /** Called when the server begins to stop and has drained. */
  onDrained?(): void;
  /** How long balancers have to notice that the server stops. */
  drainMs: number;
  /** Creates the app when the port is known. */
  createApp(server: { port: number; isStopping(): boolean }): Pick<App, "fetch">;
  timers?: Pick<Timers, "after">;
};

/** Starts to listen. Throws `bad_configuration` if that fails. */
export function createHttpServer(options: ServerOptions): HttpServer {
  const { host, port, drainMs, onDrained = () => {}, createApp, timers = systemTimers } = options;
  let app: Pick<App, "fetch"> | null = null;
  let isStopping = false;
  const portions = createPortions();
  const fetch: Fetch = (req, own) => {
    // Set below, before the event loop delivers the first request.
    if (app === null) return new Response(null, { status: 503 });
    const answer = app.fetch(req, { server: own });
    return isStopping ? closeConnection(answer) : answer;
  };
  const server = listen(host, port, (req, own) => {
    const turn = portions.begin();
    return turn === null ? fetch(req, own) : turn.then(() => fetch(req, own));
  });
  app = createApp({ port: server.port ?? port, isStopping: () => isStopping });
  let stopped: Promise<void> | null = null;

  async function stop(): Promise<void> {
    isStopping = true;
    if (drainMs > 0) await new Promise<void>((resolve) => timers.after(drainMs, resolve));
    onDrained();
    const cut = setTimeout(() => server.stop(true), stopMsMax);
    await server.stop();
    clearTimeout(cut);
  }

  return {
    host,
    port: server.port ?? port,
    stop() {
      stopped ??= stop();
      return stopped;
    },
  };
}

/** A balancer would send its next request over this connection while the server closes it. */
async function closeConnection(answer: Response | Promise<Response>): Promise<Response> {
  const response = await answer;
  response.headers.set("connection", "close");
  return response;
}

type Fetch = (req: Request, server: Server<undefined>) => Response | Promise<Response>;

function listen(host: string, port: number, fetch: Fetch): Server<undefined> {
  try {
    return Bun.serve({
      hostname: host,
      port,
      fetch,
      // What the app does not catch. The runtime's own page would show the source.
      development: false,
      reusePort: false,
      error: () => Response.json({ error: "The hub failed.", code: "internal" }, { status: 500 }),
      idleTimeout: idleSecondsMax,
      // readBody enforces the limit, after authentication and with an error message.
      maxRequestBodySize: Number.MAX_SAFE_INTEGER,
    });
  } catch (thrown) {
    const isTaken = thrown instanceof Error && "code" in thrown && thrown.code === "EADDRINUSE";
    const reason = isTaken
      ? "another program, perhaps a hub, already uses this port. Stop it, or set HUB_PORT."
      : `this machine has no such address, or this program is not allowed to use it. ${adviseHost(host)}`;
    throw new HubError(
      "bad_configuration",
      `Cannot listen on ${toUrlHost(host)}:${port}: ${reason}`,
      { cause: thrown },
    );
  }
}

function adviseHost(host: string): string {
  const families = Object.values(networkInterfaces()).flatMap((addresses = []) =>
    addresses.map(({ family }) => family),
  );
  return describeHosts(host, new Set(families));
}

/**
 * What to set in place of a host that cannot be used on a machine with these kinds of addresses.
 *
 * @internal
 */
export function describeHosts(host: string, families: ReadonlySet<string>): string {
  const isFour = /^[\d.]+$/.test(host);
  if (isFour && families.has("IPv6") && !families.has("IPv4")) {
    return `This machine has only IPv6: set HUB_HOST=${isLoopbackHost(host) ? "::1" : "::"}.`;
  }
  if (host.includes(":") && families.has("IPv4") && !families.has("IPv6")) {
    return `This machine has only IPv4: set HUB_HOST=${isLoopbackHost(host) ? "127.0.0.1" : "0.0.0.0"}.`;
  }
  return "Set HUB_HOST or HUB_PORT.";
}
