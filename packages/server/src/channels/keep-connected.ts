import type { Row } from "../connectors/rows/row-directory.ts";
import type { Timers } from "../lib/time/timers.ts";
import {
  type ChannelLease,
  type ChannelReport,
  reportChannel,
  type StoredChannelState,
} from "../store/channels/channels-table.ts";
import type { Db } from "../store/database/database.ts";
import {
  type ChatAdapter,
  type ChatEnvelope,
  ChatRefusal,
  ChatRetryLater,
  type ReceivedEnvelope,
} from "./chat-adapter.ts";
import { hideSecrets, type OpenChannelDeps, openChannel, parseAccount } from "./open-channel.ts";

export type ConnectionDeps = OpenChannelDeps & {
  db: Db;
  loadAdapter(kind: string): Promise<ChatAdapter>;
  receive(rowId: string, envelope: ChatEnvelope): Promise<ReceivedEnvelope>;
  /** Without a slash at its end. */
  baseUrl: string;
  timers: Timers;
  /** A number from 0 to 1, so that many channels do not reconnect at the same moment. */
  random(): number;
  logFailure(err: unknown, subject: { channel: string | null }): void;
};

const backOffMsMin = 1_000;
const backOffMsMax = 60_000;
/** The platform may say so, and be wrong by days. */
const retryAfterMsMax = 60 * 60 * 1000;
/** A connection that lasted this long was no failure. */
const steadyMs = 60_000;

/** Keeps one channel connected until the signal aborts or the platform refuses it. */
export async function keepConnected(
  deps: ConnectionDeps,
  { row, lease }: { row: Row; lease: ChannelLease },
  stored: StoredChannelState | null,
  signal: AbortSignal,
): Promise<void> {
  const { db, timers, now } = deps;
  let written: Promise<unknown> = Promise.resolve();
  // One after another, so that the last one stays.
  const report = (given: ChannelReport) => {
    const full = { ...given, ...(given.state && { changedAt: now() }) };
    const writing = written.then(() => reportChannel(db, lease, full));
    written = writing.catch(() => {});
    return writing;
  };
  const hide = (text: string) => hideSecrets(text, row.config().secrets.texts).slice(0, 500);
  const reportLater = (given: ChannelReport) => {
    report(given).catch((err: unknown) => deps.logFailure(err, { channel: row.slug }));
  };
  const adapter = await deps.loadAdapter(row.connectorKey);
  const channel = openChannel(deps, row, parseAccount(stored?.account ?? null));
  if (channel === null) return;
  let cursor = stored?.cursor ?? null;
  let attempt = 0;
  await report({ state: "connecting", reason: null, refusedVersion: null });
  while (!signal.aborted) {
    const startedAt = timers.now();
    // The library's connections of one attempt end with it.
    const attemptEnds = new AbortController();
    try {
      await adapter.hold(channel, {
        receive: (envelope) => deps.receive(row.id, envelope),
        connected(account) {
          channel.account = account;
          reportLater({ state: "connected", reason: null, account: JSON.stringify(account) });
        },
        reconnecting: (reason) => reportLater({ state: "connecting", reason: hide(reason) }),
        cursor,
        async saveCursor(next) {
          await report({ cursor: next });
          cursor = next;
        },
        requestUrl: `${deps.baseUrl}/channels/${channel.slug}/events`,
        signal: AbortSignal.any([signal, attemptEnds.signal]),
      });
      if (signal.aborted) return;
      throw new Error("The connection ended.");
    } catch (err) {
      if (signal.aborted) return;
      const reason = hide(err instanceof Error ? err.message : String(err));
      if (err instanceof ChatRefusal) {
        await report({ state: "failed", reason, refusedVersion: row.version });
        return;
      }
      attempt = timers.now() - startedAt >= steadyMs ? 0 : attempt + 1;
      await report({ state: "connecting", reason }).catch(() => {});
      await wait(timers, toPauseMs(deps, err, attempt), signal);
    } finally {
      attemptEnds.abort();
    }
  }
}

function toPauseMs(
  { random }: Pick<ConnectionDeps, "random">,
  err: unknown,
  attempt: number,
): number {
  if (err instanceof ChatRetryLater) {
    return Math.min(Math.max(err.retryAfterMs, backOffMsMin), retryAfterMsMax);
  }
  const longest = Math.min(backOffMsMin * 2 ** Math.max(attempt - 1, 0), backOffMsMax);
  return Math.max(backOffMsMin, longest * (0.5 + random() / 2));
}

function wait(timers: Timers, ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>();
  if (signal.aborted) return Promise.resolve();
  const cancel = timers.after(ms, resolve);
  const onAbort = () => {
    cancel();
    resolve();
  };
  signal.addEventListener("abort", onAbort, { once: true });
  return promise.finally(() => signal.removeEventListener("abort", onAbort));
}
