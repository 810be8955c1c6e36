import type { GuardedFetch } from "@hub/connector";
import type { SocketModeClient, SocketModeOptions } from "@slack/socket-mode";
import { z } from "zod";
import type { OpenChannel } from "../chat-adapter.ts";
import { silentLogger, toClientOptions } from "./slack-api.ts";
import { isOfSlack, type SlackSettings } from "./slack-config.ts";
import { waitAtMost, watchAbort } from "./waits.ts";

/** One connection over Socket Mode. */
export type SocketConnection = {
  /** Resolves when Slack asks for a new connection. It closes this one some seconds later. */
  renewal: Promise<void>;
  /** Resolves when the connection is closed, by either side. */
  ended: Promise<void>;
  isOpen(): boolean;
  /** Acknowledges what is on its way to the disk, then closes the connection. */
  close(): Promise<void>;
};

/** What the library emits as `slack_event`. An envelope is acknowledged on its own connection. */
export type SocketDelivery = {
  ack(answer?: Record<string, unknown>): Promise<void>;
  type: unknown;
  body: unknown;
};

type ConnectionDeps = {
  channel: OpenChannel;
  settings: SlackSettings;
  signal: AbortSignal;
  receive(delivery: SocketDelivery): Promise<void>;
};

/** Slack says hello a moment after the connection is open. */
const helloMsMax = 30_000;
/** Slack answers the close frame. A connection that is cut off never does. */
const closeMsMax = 2_000;
/** Meanwhile the socket takes no events, and Slack may already send some to the next one. */
const storeMsMax = 2_000;

/** Resolves when Slack has greeted the connection. If it rejects, nothing stays open. */
export async function openConnection(deps: ConnectionDeps): Promise<SocketConnection> {
  const { settings, signal } = deps;
  const closing = new AbortController();
  const ending = AbortSignal.any([signal, closing.signal]);
  const { promise: renewal, resolve: renew } = Promise.withResolvers<void>();
  const options: SocketModeOptions = {
    appToken: settings.appToken,
    // The library's own retries end in rejections that nothing handles. The hub reconnects.
    autoReconnectEnabled: false,
    logger: silentLogger,
    clientOptions: toClientOptions(settings, checkSocketAddress(deps, ending)),
  };
  const client = await createClient(options, renew);
  const running = new Set<Promise<void>>();
  client.on("slack_event", (delivery: SocketDelivery) => {
    // Slack delivers it again, to the next connection.
    if (signal.aborted) return;
    const handling = deps.receive(delivery).finally(() => running.delete(handling));
    running.add(handling);
  });
  // The library opens the socket right after this event, also if it was told to disconnect before.
  client.on("connecting", () => ending.throwIfAborted());
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  let isOpen = true;
  client.on("disconnected", () => {
    isOpen = false;
    end();
  });
  const closeOnce = async () => {
    closing.abort();
    // What is on its way to the disk is still acknowledged, unless the database hangs.
    await waitAtMost(storeMsMax, Promise.allSettled(running));
    // Without a connection, or if the other side is gone, there is nothing to wait for.
    void client.disconnect().catch(() => {});
    await waitAtMost(closeMsMax, ended);
  };
  let closed: Promise<void> | null = null;
  const close = () => {
    closed ??= closeOnce();
    return closed;
  };
  using aborted = watchAbort(signal);
  try {
    await Promise.race([start(client), aborted.promise]);
    signal.throwIfAborted();
  } catch (err) {
    await close();
    throw err;
  }
  return { renewal, ended, isOpen: () => isOpen, close };
}

/**
 * The library closes the connection as soon as Slack asks for a new one. So it does not see these messages:
 * the connection goes on until Slack closes it.
 */
async function createClient(
  options: SocketModeOptions,
  onRenewal: () => void,
): Promise<SocketModeClient> {
  const library = await import("@slack/socket-mode");
  class OverlappingClient extends library.SocketModeClient {
    protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean) {
      if (isRenewal(data)) onRenewal();
      else await super.onWebSocketMessage(data, isBinary);
    }
  }
  return new OverlappingClient(options);
}

const renewalSchema = z.looseObject({
  type: z.literal("disconnect"),
  reason: z.enum(["warning", "refresh_requested"]),
});
/** A longer message is an event, and the library parses it. */
const renewalCharsMax = 4_096;

function isRenewal(data: string | ArrayBuffer): boolean {
  if (typeof data !== "string" || data.length > renewalCharsMax) return false;
  return data.includes('"disconnect"') && renewalSchema.safeParse(parse(data)).success;
}

async function start(client: Pick<SocketModeClient, "start">): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error("Slack did not greet the connection in time.")),
    helloMsMax,
  );
  timer.unref();
  try {
    await Promise.race([client.start(), late]);
  } finally {
    clearTimeout(timer);
  }
}

const opened = z.looseObject({ url: z.string() });

/** Checks the address of the socket, to which the library connects without the guard of `fetch`. */
function checkSocketAddress(
  { channel, settings }: ConnectionDeps,
  ending: AbortSignal,
): GuardedFetch {
  return async (input, init = {}) => {
    const signal = AbortSignal.any(init.signal ? [init.signal, ending] : [ending]);
    const response = await channel.fetch(input, { ...init, signal });
    const text = await response.text();
    const { status, headers } = response;
    const found = opened.safeParse(parse(text));
    if (found.success) {
      const { url } = found.data;
      if (!isOfSlack(url.replace(/^ws(?=s?:)/i, "http"), settings)) {
        throw new Error("The address of the socket is not of the host of the API.");
      }
      await channel.resolve(url);
    }
    return new Response(text, { status, headers });
  };
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
