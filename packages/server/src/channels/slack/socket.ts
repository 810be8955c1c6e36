import {
  type ChatAccount,
  ChatRefusal,
  ChatRetryLater,
  type ChatSession,
  type OpenChannel,
} from "../chat-adapter.ts";
import { isDeliveryKind, readDelivery } from "./read-delivery.ts";
import type { SlackSettings } from "./slack-config.ts";
import { isRefusal, SlackFailure, toAdvice, toSlackFailure } from "./slack-failure.ts";
import { openConnection, type SocketConnection, type SocketDelivery } from "./socket-connection.ts";
import { waitAtMost, watchAbort } from "./waits.ts";

type Context = {
  channel: OpenChannel;
  session: ChatSession;
  settings: SlackSettings;
  /** Throws if Slack does not accept the bot token. */
  readOwnAccount(): Promise<ChatAccount>;
};

/** A connection that ends sooner than this is not replaced at once. */
const shortMs = 10_000;
/** Slack closes a connection about 10 seconds after it has asked for a new one. */
const formerMsMax = 20_000;
/** Between two tries to open the next connection while the former one lives. */
const pauseMsMin = 1_000;
const pauseMsMax = 60_000;

/**
 * Receives events over Socket Mode until the signal aborts. Slack renews each connection after some
 * hours: then the next one is opened while the former one still receives and acknowledges. The bot
 * token is checked for each connection, because the socket only needs the app token.
 */
export async function holdSocket(ctx: Context): Promise<void> {
  const { channel, session } = ctx;
  const { signal } = session;
  const connections = new Set<SocketConnection>();
  let current: SocketConnection | null = null;
  using aborted = watchAbort(signal);

  async function open(): Promise<SocketConnection> {
    const account = await ctx.readOwnAccount();
    const receiveOne = (delivery: SocketDelivery) => receive(ctx, account, delivery);
    const connection = await openConnection({ ...ctx, signal, receive: receiveOne });
    connections.add(connection);
    void connection.ended.then(connection.close).then(() => connections.delete(connection));
    session.connected(account);
    return connection;
  }

  function recordEnd(connection: SocketConnection): void {
    if (connection !== current || signal.aborted) return;
    session.reconnecting("Slack renews the connection.");
  }

  try {
    while (!signal.aborted) {
      const since = channel.now();
      const former: SocketConnection | null = current;
      const next = await openNext(ctx, former, open);
      current = next;
      if (former !== null) void waitAtMost(formerMsMax, former.ended).then(former.close);
      await Promise.race([next.renewal, next.ended, aborted.promise]);
      if (channel.now() - since < shortMs) {
        await Promise.race([next.ended, aborted.promise]);
        throw new Error("Slack closed the connection.");
      }
      void next.ended.then(() => recordEnd(next));
    }
  } catch (thrown) {
    if (!signal.aborted) throw toHoldError(thrown);
  } finally {
    current = null;
    await Promise.all([...connections].map(({ close }) => close()));
  }
}

/** While the former connection lives, only a refusal ends the tries. */
async function openNext(
  { channel, session: { signal } }: Context,
  former: SocketConnection | null,
  open: () => Promise<SocketConnection>,
): Promise<SocketConnection> {
  using aborted = watchAbort(signal);
  for (let pauseMs = pauseMsMin; ; pauseMs = Math.min(2 * pauseMs, pauseMsMax)) {
    try {
      return await open();
    } catch (thrown) {
      const err = toHoldError(thrown);
      if (former === null || err instanceof ChatRefusal) throw err;
      const waitMs = err instanceof ChatRetryLater ? Math.max(err.retryAfterMs, pauseMs) : pauseMs;
      channel.log.warn("The connection to Slack was not renewed", { error: err.message });
      await waitAtMost(waitMs, Promise.race([former.ended, aborted.promise]));
      if (!former.isOpen() || signal.aborted) throw err;
    }
  }
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
    // Not acknowledged: Slack delivers it again.
    channel.log.warn("An event of Slack was not stored", { type, error: String(thrown) });
    return;
  }
  // If the connection has gone meanwhile, the event comes again and starts nothing.
  await delivery.ack().catch(() => {});
}

/** The failure as the hub's back-off reads it. */
export function toHoldError(thrown: unknown): Error {
  if (thrown instanceof ChatRefusal || thrown instanceof ChatRetryLater) return thrown;
  const failure = toSlackFailure("apps.connections.open", thrown);
  if (!(failure instanceof SlackFailure)) {
    return failure instanceof Error ? failure : new Error("Slack closed the connection.");
  }
  const { details, message } = failure;
  if (details.retryAfterMs !== undefined) return new ChatRetryLater(message, details.retryAfterMs);
  if (!isRefusal(details)) return failure;
  return new ChatRefusal(`${message}. ${toAdvice(details)}`);
}
