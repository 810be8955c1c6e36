import type { GuardedFetch } from "@hub/connector";
import { z } from "zod";
import {
  type ChatAccount,
  ChatRefusal,
  ChatRetryLater,
  type ChatSession,
  type OpenChannel,
} from "../chat-adapter.ts";
import { isOfSlack, type SlackSettings } from "./config.ts";
import { isDeliveryKind, readDelivery } from "./read-delivery.ts";
import { silentLogger, toClientOptions } from "./slack-api.ts";
import { isRefusal, SlackFailure, toAdvice, toSlackFailure } from "./slack-failure.ts";

type Context = {
  channel: OpenChannel;
  session: ChatSession;
  settings: SlackSettings;
  /** Throws if Slack does not accept the bot token. */
  readOwnAccount(): Promise<ChatAccount>;
};

/** Slack says hello a moment after the connection is open. */
const helloMsMax = 30_000;
/** A connection that ends sooner than this is not replaced at once. */
const shortMs = 10_000;
/** Slack answers the close frame. A connection that is cut off never does. */
const closeMsMax = 2_000;
/** Meanwhile the socket takes no events, and Slack may already send some to the next one. */
const storeMsMax = 2_000;

/**
 * Receives events over Socket Mode until the signal aborts. Slack renews each connection after some
 * hours: then the next one is opened at once. Slack delivers what was not acknowledged again. The
 * bot token is checked for each connection, because the socket only needs the app token.
 */
export async function holdSocket(ctx: Context): Promise<void> {
  const { channel, session } = ctx;
  while (!session.signal.aborted) {
    const since = channel.now();
    const account = await ctx.readOwnAccount();
    if (session.signal.aborted) return;
    await runConnection(ctx, account);
    if (session.signal.aborted) return;
    if (channel.now() - since < shortMs) throw new Error("Slack closed the connection.");
    session.reconnecting("Slack renews the connection.");
  }
}

/** What the library emits as `slack_event`. */
type SocketDelivery = {
  ack(answer?: Record<string, unknown>): Promise<void>;
  type: unknown;
  body: unknown;
};

/** Resolves when the connection has ended, or was closed because of the signal. */
async function runConnection(ctx: Context, account: ChatAccount): Promise<void> {
  const { session, settings } = ctx;
  const { SocketModeClient } = await import("@slack/socket-mode");
  const client = new SocketModeClient({
    appToken: settings.appToken,
    // The library's own retries end in rejections that nothing handles. The hub reconnects.
    autoReconnectEnabled: false,
    logger: silentLogger,
    clientOptions: toClientOptions(settings, checkSocketAddress(ctx)),
  });
  const running = new Set<Promise<void>>();
  client.on("slack_event", (delivery: SocketDelivery) => {
    // Slack delivers it again, to the next connection.
    if (session.signal.aborted) return;
    const handling = receive(ctx, account, delivery).finally(() => running.delete(handling));
    running.add(handling);
  });
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  client.on("disconnected", () => end());
  const { promise: aborted, resolve: abort } = Promise.withResolvers<void>();
  if (session.signal.aborted) return;
  const onAbort = () => abort();
  session.signal.addEventListener("abort", onAbort, { once: true });
  try {
    await Promise.race([start(client), aborted]);
    if (!session.signal.aborted) {
      session.connected(account);
      await Promise.race([ended, aborted]);
    }
  } finally {
    session.signal.removeEventListener("abort", onAbort);
    // What is on its way to the disk is still acknowledged, unless the database hangs.
    await waitAtMost(storeMsMax, Promise.allSettled(running));
    await close(client, ended);
  }
}

type Client = { start(): Promise<unknown>; disconnect(): Promise<void> };

async function start(client: Client): Promise<void> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(
    () => reject(new Error("Slack did not greet the connection in time.")),
    helloMsMax,
  );
  timer.unref();
  try {
    await Promise.race([client.start(), late]);
  } catch (thrown) {
    throw toHoldError(thrown);
  } finally {
    clearTimeout(timer);
  }
}

/** Without a connection, or if the other side is gone, there is nothing to wait for. */
async function close(client: Client, ended: Promise<void>): Promise<void> {
  void client.disconnect().catch(() => {});
  await waitAtMost(closeMsMax, ended);
}

async function waitAtMost(ms: number, work: Promise<unknown>): Promise<void> {
  const { promise: late, resolve } = Promise.withResolvers<void>();
  const timer = setTimeout(resolve, ms);
  await Promise.race([work, late]);
  clearTimeout(timer);
}

async function receive(
  { channel, session, settings }: Context,
  account: ChatAccount,
  delivery: SocketDelivery,
): Promise<void> {
  const { type, body } = delivery;
  if (!isDeliveryKind(type)) return;
  try {
    const envelope = readDelivery({ account, includeEdits: settings.includeEdits }, type, body);
    await session.receive(envelope);
  } catch (thrown) {
    if (thrown instanceof z.ZodError) {
      // It would come again and again. It is no envelope that Slack documents.
      channel.log.warn("Slack sent an event of an unknown form", { type });
    } else {
      // Not acknowledged: Slack delivers it again.
      channel.log.warn("An event of Slack was not stored", { type, error: String(thrown) });
      return;
    }
  }
  // If the connection has gone meanwhile, the event comes again and starts nothing.
  await delivery.ack().catch(() => {});
}

const opened = z.looseObject({ url: z.string() });

/** Checks the address of the socket, to which the library connects without the guard of `fetch`. */
function checkSocketAddress({ channel, settings }: Context): GuardedFetch {
  return async (input, init) => {
    const response = await channel.fetch(input, init);
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

/** The failure as the hub's back-off reads it. */
export function toHoldError(thrown: unknown): Error {
  const failure = toSlackFailure("apps.connections.open", thrown);
  if (!(failure instanceof SlackFailure)) {
    return failure instanceof Error ? failure : new Error("Slack closed the connection.");
  }
  const { details, message } = failure;
  if (details.retryAfterMs !== undefined) return new ChatRetryLater(message, details.retryAfterMs);
  if (!isRefusal(details)) return failure;
  return new ChatRefusal(`${message}. ${toAdvice(details)}`);
}
