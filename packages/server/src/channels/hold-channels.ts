import type { Directory, Row, RowDirectory } from "../connectors/row-directory.ts";
import type { Timers } from "../lib/timers.ts";
import {
  type ChannelLease,
  type ChannelReport,
  channelLeaseMs,
  claimChannel,
  listChannelStates,
  releaseChannel,
  renewChannel,
  reportChannel,
  type StoredChannelState,
} from "../store/channel-states.ts";
import type { Db } from "../store/database.ts";
import {
  type ChatAdapter,
  type ChatEnvelope,
  ChatRefusal,
  ChatRetryLater,
  type ReceivedEnvelope,
} from "./chat-adapter.ts";
import { hideSecrets, type OpenChannelDeps, openChannel, parseAccount } from "./open-channel.ts";

/** Holds the connections of channels that no other server holds. */
export type ChannelHolder = {
  start(): void;
  /** Ends all connections, and lets other servers take them at once. */
  stop(): Promise<void>;
};

export type HolderDeps = OpenChannelDeps & {
  db: Db;
  directory: Pick<RowDirectory, "current">;
  instanceId: string;
  isChat(kind: string): boolean;
  loadAdapter(kind: string): Promise<ChatAdapter>;
  receive(rowId: string, envelope: ChatEnvelope): Promise<ReceivedEnvelope>;
  /** Without a slash at its end. */
  baseUrl: string;
  timers: Timers;
  /** A number from 0 to 1, so that many channels do not reconnect at the same moment. */
  random(): number;
  logFailure(err: unknown, place: { channel: string | null }): void;
};

/** How soon a change of a row is noticed, and how often a lease is renewed. */
const tickMs = 500;
const renewMs = 3_000;
const backOffMsMin = 1_000;
const backOffMsMax = 60_000;
/** The platform may say so, and be wrong by days. */
const retryAfterMsMax = 60 * 60 * 1000;
/** A connection that lasted this long was no failure. */
const steadyMs = 60_000;

/** A platform that does not answer does not keep the server from stopping. Its leases end by themselves. */
const stopMsMax = 5_000;

/**
 * A connection that was told to end stays in the list until it has ended, so that it is not made
 * twice. Nothing waits for it: the leases of the other connections go on.
 */
type Held = {
  row: Row;
  lease: ChannelLease;
  renewedAt: number;
  abort: AbortController;
  ended: Promise<void>;
};

export function createChannelHolder(deps: HolderDeps): ChannelHolder {
  const { db, timers, directory, instanceId } = deps;
  const held = new Map<string, Held>();
  let isStopping = false;
  let cancelTick = () => {};
  let ticking: Promise<void> | null = null;

  async function tick(): Promise<void> {
    const present = await directory.current();
    const wanted = new Map(listWanted(deps, present).map((row) => [row.id, row]));
    for (const [rowId, channel] of held) {
      const row = wanted.get(rowId);
      if (row === undefined || !isSame(row, channel.row)) channel.abort.abort();
    }
    await renew();
    const free = [...wanted.values()].filter(({ id }) => !held.has(id));
    if (free.length === 0) return;
    const ids = free.map(({ id }) => id);
    const states = new Map((await listChannelStates(db, ids)).map((one) => [one.rowId, one]));
    for (const row of free) {
      const state = states.get(row.id) ?? null;
      // What the platform has refused is not tried again before the row changes.
      if (state !== null && (state.holder !== null || state.refusedVersion === row.version))
        continue;
      if (isStopping) return;
      await take(row, state);
    }
  }

  async function take(row: Row, state: StoredChannelState | null): Promise<void> {
    const askedAt = timers.now();
    const lease = await claimChannel(db, { rowId: row.id, holder: instanceId });
    if (lease === null) return;
    const abort = new AbortController();
    const channel = { row, lease, renewedAt: askedAt, abort };
    const ended = hold(deps, channel, state, abort.signal)
      .catch((err: unknown) => {
        if (!abort.signal.aborted) deps.logFailure(err, { channel: row.slug });
      })
      .then(async () => {
        if (held.get(row.id)?.lease === lease) held.delete(row.id);
        await releaseChannel(db, lease).catch(() => {});
      });
    held.set(row.id, { ...channel, ended });
  }

  async function renew(): Promise<void> {
    for (const channel of held.values()) {
      const at = timers.now();
      if (channel.abort.signal.aborted || at - channel.renewedAt < renewMs) continue;
      const isHeld = await renewChannel(db, channel.lease).catch((err: unknown) => {
        deps.logFailure(err, { channel: channel.row.slug });
        // The lease may still last. It ends before another server can take it.
        return at - channel.renewedAt < channelLeaseMs - 4 * tickMs ? null : false;
      });
      if (isHeld) channel.renewedAt = at;
      else if (isHeld === false) channel.abort.abort();
    }
  }

  function schedule(): void {
    cancelTick = timers.after(tickMs, run);
  }

  function run(): void {
    ticking = tick()
      .catch((err: unknown) => deps.logFailure(err, { channel: null }))
      .finally(() => {
        ticking = null;
        if (!isStopping) schedule();
      });
  }

  return {
    start: run,
    async stop() {
      isStopping = true;
      cancelTick();
      await ticking;
      for (const { abort } of held.values()) abort.abort();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = timers.after(stopMsMax, resolve);
      await Promise.race([late, Promise.all([...held.values()].map(({ ended }) => ended))]);
      cancel();
    },
  };
}

/** The channels that should be connected. */
function listWanted({ isChat }: HolderDeps, directory: Directory): Row[] {
  return directory.rows.filter(
    (row) =>
      row.slug !== null &&
      isChat(row.connectorKey) &&
      !row.disabled &&
      !directory.isTypeDisabled(row.connectorKey) &&
      isComplete(row),
  );
}

function isComplete(row: Row): boolean {
  try {
    return row.config().missing.length === 0;
  } catch {
    // A key is missing. The page of the row says so.
    return false;
  }
}

/** Whether a connection need not be made anew. */
function isSame(row: Row, before: Row): boolean {
  if (row === before) return true;
  return row.slug === before.slug && Bun.deepEquals(row.config().values, before.config().values);
}

/** Keeps one channel connected until the signal aborts or the platform refuses it. */
async function hold(
  deps: HolderDeps,
  { row, lease }: Pick<Held, "row" | "lease">,
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
  const noteLater = (given: ChannelReport) => {
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
          noteLater({ state: "connected", reason: null, account: JSON.stringify(account) });
        },
        reconnecting: (reason) => noteLater({ state: "connecting", reason: hide(reason) }),
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

function toPauseMs({ random }: Pick<HolderDeps, "random">, err: unknown, attempt: number): number {
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
