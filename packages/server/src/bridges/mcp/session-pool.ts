import { UpstreamError } from "@hub/connector";
import type { Timers } from "../../lib/timers.ts";
import { type BackOff, createBackOff } from "../../plugins/process/back-off.ts";
import { raceAbort } from "../../plugins/process/race-abort.ts";
import type { McpSession } from "./open-session.ts";
import { toUpstreamError } from "./to-upstream-error.ts";

export type PoolDeps = {
  timers: Timers;
  /** Limit of all sessions. */
  sessionsMax: number;
  /** Limit of the sessions that are processes. */
  processesMax: number;
  idleMs: number;
};

/** Whose session it is. A session serves one configuration of one row. */
export type SessionTarget = {
  rowId: string;
  /** Null if all users share the session. */
  userId: string | null;
  /** Identifies the row's configuration. */
  configId: string;
  isProcess: boolean;
  open(signal: AbortSignal): Promise<McpSession>;
};

type UseOptions = {
  signal: AbortSignal;
  /** Connects at once, also after failures: an admin asks. */
  ignoresBackOff?: boolean;
};

/** The sessions with all MCP servers. Each opens with its first call and ends when it is idle. */
export type SessionPool = {
  use<T>(
    target: SessionTarget,
    options: UseOptions,
    work: (session: McpSession) => Promise<T>,
  ): Promise<T>;
  /** Ends the sessions of a row after their running calls, except those of the present configuration. */
  endRow(rowId: string, presentConfigId: string | null): void;
  /** The rows that have sessions. */
  listRows(): string[];
  count(): number;
  close(): Promise<void>;
};

type Slot = {
  target: SessionTarget;
  opening: Promise<McpSession>;
  session: McpSession | null;
  openedAt: number;
  calls: number;
  hasAnswered: boolean;
  lastUsedAt: number;
  cancelIdle: () => void;
  /** Takes no more calls. */
  isRetired: boolean;
};

const backOffsMax = 1000;

/** A server that never answers must leave sessions to other rows. */
const rowShare = 3 / 4;

export function createSessionPool(deps: PoolDeps): SessionPool {
  const { timers } = deps;
  /** The session that takes calls, by row, user and configuration. */
  const current = new Map<string, Slot>();
  /** Also those that end. */
  const slots = new Set<Slot>();
  const backOffs = new Map<string, BackOff>();
  const closing = new AbortController();

  async function acquire(target: SessionTarget, options: UseOptions): Promise<Slot> {
    if (closing.signal.aborted) throw new UpstreamError("The hub is stopping.");
    // What another configuration of the row opened must not be used.
    endRow(target.rowId, target.configId);
    const key = toKey(target);
    let slot = current.get(key);
    if (slot?.session?.isOpen() === false) retire(slot);
    slot = current.get(key);
    if (slot === undefined) {
      checkBackOff(key, options);
      makeRoom(target);
      slot = open(key, target);
    }
    // Counted before it waits, so that the session is not ended as idle.
    slot.cancelIdle();
    slot.calls += 1;
    return slot;
  }

  function open(key: string, target: SessionTarget): Slot {
    const openedAt = timers.now();
    const slot: Slot = {
      target,
      session: null,
      opening: target.open(closing.signal),
      openedAt,
      calls: 0,
      hasAnswered: false,
      lastUsedAt: openedAt,
      cancelIdle: () => {},
      isRetired: false,
    };
    current.set(key, slot);
    slots.add(slot);
    slot.opening.then(
      (session) => {
        slot.session = session;
        session.ended.then(() => onEnd(key, slot));
        if (slot.isRetired && slot.calls === 0) session.close();
      },
      () => {
        remove(key, slot);
        findBackOff(key).noteCrash({ livedMs: timers.now() - openedAt, answered: false });
      },
    );
    return slot;
  }

  function onEnd(key: string, slot: Slot): void {
    const isExpected = slot.isRetired;
    remove(key, slot);
    if (isExpected) return;
    const livedMs = timers.now() - slot.openedAt;
    findBackOff(key).noteCrash({ livedMs, answered: slot.hasAnswered });
  }

  function remove(key: string, slot: Slot): void {
    slot.isRetired = true;
    slot.cancelIdle();
    slots.delete(slot);
    if (current.get(key) === slot) current.delete(key);
  }

  function retire(slot: Slot): void {
    const key = toKey(slot.target);
    slot.isRetired = true;
    slot.cancelIdle();
    if (current.get(key) === slot) current.delete(key);
    if (slot.calls === 0) slot.session?.close();
  }

  function release(slot: Slot): void {
    slot.calls -= 1;
    slot.lastUsedAt = timers.now();
    if (slot.calls > 0) return;
    if (slot.isRetired) slot.session?.close();
    else slot.cancelIdle = timers.after(deps.idleMs, () => retire(slot));
  }

  function endRow(rowId: string, presentConfigId: string | null): void {
    for (const slot of [...current.values()]) {
      if (slot.target.rowId === rowId && slot.target.configId !== presentConfigId) retire(slot);
    }
  }

  /** Ends the least recently used idle session if there are too many, of all rows or of this one. */
  function makeRoom({ rowId, isProcess }: SessionTarget): void {
    const all = [...slots];
    const ofKind = isProcess ? all.filter(({ target }) => target.isProcess) : all;
    const ofRow = all.filter(({ target }) => target.rowId === rowId);
    const kindMax = isProcess ? deps.processesMax : deps.sessionsMax;
    if (ofRow.length >= Math.ceil(kindMax * rowShare)) {
      endOldest(
        ofRow,
        "This row has too many sessions in use. Try again in a few seconds. An admin can let its users share one.",
      );
    } else if (ofKind.length >= kindMax || all.length >= deps.sessionsMax) {
      endOldest(
        ofKind.length >= kindMax ? ofKind : all,
        "The hub has too many sessions with MCP servers in use. Try again in a few seconds.",
      );
    }
  }

  /** Throws with these words if none is idle. */
  function endOldest(among: readonly Slot[], refusal: string): void {
    const idle = among.filter(
      ({ calls, isRetired, session }) => calls === 0 && !isRetired && session !== null,
    );
    const [oldest] = idle.sort((a, b) => a.lastUsedAt - b.lastUsedAt);
    if (oldest === undefined) throw new UpstreamError(refusal);
    slots.delete(oldest);
    retire(oldest);
  }

  function checkBackOff(key: string, { ignoresBackOff = false }: UseOptions): void {
    const backOff = backOffs.get(key);
    const remainingMs = backOff?.remainingMs() ?? 0;
    if (backOff === undefined || remainingMs === 0 || ignoresBackOff) return;
    throw new UpstreamError(
      `The MCP server has failed ${backOff.crashes()} times in a row. The hub tries again in ${Math.ceil(remainingMs / 1000)} s. An admin can test the row.`,
    );
  }

  function findBackOff(key: string): BackOff {
    const known = backOffs.get(key) ?? createBackOff(timers);
    // Moved to the end, so that the first key is the longest unused one.
    backOffs.delete(key);
    backOffs.set(key, known);
    const [oldest] = backOffs.keys();
    if (backOffs.size > backOffsMax && oldest !== undefined) backOffs.delete(oldest);
    return known;
  }

  async function useOnce<T>(
    target: SessionTarget,
    options: UseOptions,
    work: (session: McpSession) => Promise<T>,
  ): Promise<{ result: T } | { forgotten: true }> {
    const slot = await acquire(target, options);
    try {
      const session = await raceAbort(slot.opening, options.signal);
      const result = await work(session);
      slot.hasAnswered = true;
      backOffs.delete(toKey(target));
      return { result };
    } catch (thrown) {
      options.signal.throwIfAborted();
      if (slot.session?.isForgotten(thrown) === true) {
        retire(slot);
        return { forgotten: true };
      }
      slot.hasAnswered ||= slot.session?.isOpen() === true;
      throw toUpstreamError(thrown);
    } finally {
      release(slot);
    }
  }

  return {
    async use(target, options, work) {
      options.signal.throwIfAborted();
      const first = await useOnce(target, options, work);
      if ("result" in first) return first.result;
      // The server has refused the request unread, so it can be sent again.
      const second = await useOnce(target, options, work);
      if ("result" in second) return second.result;
      throw new UpstreamError("The MCP server forgets its sessions at once. Try again later.");
    },
    endRow,
    listRows: () => [...new Set([...current.values()].map(({ target }) => target.rowId))],
    count: () => slots.size,
    async close() {
      closing.abort(new UpstreamError("The hub is stopping."));
      const open = [...slots];
      for (const slot of open) retire(slot);
      await Promise.allSettled(
        open.map(async ({ opening }) => {
          const session = await opening;
          await session.close();
        }),
      );
    },
  };
}

function toKey({ rowId, userId, configId }: SessionTarget): string {
  return JSON.stringify([rowId, userId, configId]);
}
