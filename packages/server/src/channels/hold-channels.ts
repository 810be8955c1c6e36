import type { Directory, Row, RowDirectory } from "../connectors/rows/row-directory.ts";
import { isRowOn } from "../operations/admission/list-form.ts";
import {
  type ChannelLease,
  claimChannel,
  listChannelStates,
  releaseChannel,
  renewChannel,
  type StoredChannelState,
} from "../store/channels/channels-table.ts";
import { type ConnectionDeps, keepConnected } from "./keep-connected.ts";
import { createChannelReads } from "./read-channel-secrets.ts";

/** Holds the connections of channels that no other server holds. */
export type ChannelHolder = {
  start(): void;
  /** Ends all connections, and lets other servers take them at once. */
  stop(): Promise<void>;
};

export type HolderDeps = ConnectionDeps & {
  directory: Pick<RowDirectory, "current">;
  instanceId: string;
  isChat(kind: string): boolean;
};

/** How soon a change of a row is noticed, and how often a lease is renewed. */
const tickMs = 500;
const renewMs = 3_000;
/**
 * A server that could not renew for this long ends its connections. Another one may take them 3 s after
 * this one's lock of the database is gone, else when the lease ends.
 */
const unrenewedMsMax = 5_000;
/** How long the platform is not asked again after a refusal. */
const refusedMs = 15 * 60_000;
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
  /** Ends the connection if the lease is not renewed, also while the database does not answer. */
  cancelDeadline: () => void;
  abort: AbortController;
  ended: Promise<void>;
};

export function createChannelHolder(deps: HolderDeps): ChannelHolder {
  const { db, timers, directory, instanceId } = deps;
  const held = new Map<string, Held>();
  const reads = createChannelReads(deps);
  let isStopping = false;
  let cancelTick = () => {};
  let ticking: Promise<void> | null = null;

  async function tick(): Promise<void> {
    const present = await directory.current();
    const on = new Map(listOn(deps, present).map((row) => [row.id, row]));
    reads.start([...on.values()]);
    // Before anything waits for a secret manager: a slow one must end no connection.
    await renew();
    await reads.wait();
    const wanted = new Map([...on].filter(([, row]) => isComplete(row)));
    for (const [rowId, channel] of held) {
      const row = wanted.get(rowId);
      // What has no secret for the moment may have it when the read is done.
      if (row === undefined && on.has(rowId) && reads.has(rowId)) continue;
      if (row === undefined || !isSame(row, channel.row)) channel.abort.abort();
    }
    const free = [...wanted.values()].filter(({ id }) => !held.has(id));
    if (free.length === 0) return;
    const ids = free.map(({ id }) => id);
    const states = new Map((await listChannelStates(db, ids)).map((one) => [one.rowId, one]));
    for (const row of free) {
      const state = states.get(row.id) ?? null;
      if (state !== null && (state.holder !== null || isRefused(deps, row, state))) continue;
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
    const cancelDeadline = setDeadline(abort, askedAt);
    const ended = keepConnected(deps, channel, state, abort.signal)
      .catch((err: unknown) => {
        if (!abort.signal.aborted) deps.logFailure(err, { channel: row.slug });
      })
      .then(async () => {
        const own = held.get(row.id);
        if (own?.lease === lease) {
          own.cancelDeadline();
          held.delete(row.id);
        }
        await releaseChannel(db, lease).catch(() => {});
      });
    held.set(row.id, { ...channel, cancelDeadline, ended });
  }

  function setDeadline(abort: AbortController, renewedAt: number): () => void {
    const leftMs = Math.max(0, renewedAt + unrenewedMsMax - timers.now());
    return timers.after(leftMs, () => abort.abort());
  }

  async function renew(): Promise<void> {
    for (const channel of held.values()) {
      const at = timers.now();
      if (channel.abort.signal.aborted || at - channel.renewedAt < renewMs) continue;
      const isHeld = await renewChannel(db, channel.lease).catch((err: unknown) => {
        deps.logFailure(err, { channel: channel.row.slug });
        // The lease may still last.
        return null;
      });
      if (isHeld === false) channel.abort.abort();
      if (isHeld !== true) continue;
      channel.renewedAt = at;
      channel.cancelDeadline();
      channel.cancelDeadline = setDeadline(channel.abort, at);
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
      reads.stop();
      await ticking;
      for (const { abort } of held.values()) abort.abort();
      const { promise: late, resolve } = Promise.withResolvers<void>();
      const cancel = timers.after(stopMsMax, resolve);
      await Promise.race([late, Promise.all([...held.values()].map(({ ended }) => ended))]);
      cancel();
    },
  };
}

/**
 * What the platform refuses is tried again when the row changes. It may also be mended on the
 * platform, which does not say so: then it is tried again after a while.
 */
function isRefused({ now }: Pick<HolderDeps, "now">, row: Row, state: StoredChannelState): boolean {
  if (state.refusedVersion !== row.version) return false;
  const ageMs = now() - state.changedAt;
  return ageMs >= 0 && ageMs < refusedMs;
}

/** The channels that should be connected once they are set up. */
function listOn({ isChat }: HolderDeps, directory: Directory): Row[] {
  return directory.rows.filter(
    (row) => row.slug !== null && isChat(row.connectorKey) && isRowOn(directory, row),
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
  if (row.slug !== before.slug) return false;
  try {
    return Bun.deepEquals(row.config().values, before.config().values);
  } catch {
    // What the former row was set up with is gone.
    return false;
  }
}
