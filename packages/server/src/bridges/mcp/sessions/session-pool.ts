import { UpstreamError } from "@hub/connector";
import type { Timers } from "../../../lib/time/timers.ts";
import { raceAbort } from "../../../plugins/process/race-abort.ts";
import { toUpstreamError } from "../results/to-upstream-error.ts";
import { findEvicted, type SessionLimits } from "./find-evicted.ts";
import type { McpSession } from "./open-mcp-session.ts";
import { SessionBackOffs } from "./session-back-offs.ts";
import { openSlot, type SessionSlot, type SessionTarget, toKey } from "./session-slot.ts";

export type PoolDeps = SessionLimits & {
  timers: Timers;
  idleMs: number;
};

type UseOptions = {
  signal: AbortSignal;
  /** Connects at once, also after failures: an admin asks. */
  ignoresBackOff?: boolean;
  /** The session is not open yet, so the work waits for it. */
  onOpening?(): void;
};

type Work<T> = (session: McpSession) => Promise<T>;

/** The sessions with all MCP servers. Each opens with its first call and ends when it is idle. */
export type SessionPool = {
  use<T>(target: SessionTarget, options: UseOptions, work: Work<T>): Promise<T>;
  /** Ends the sessions of a row after their running calls, except those of the present configuration. */
  endRow(rowId: string, presentConfigId: string | null): void;
  /** The rows that have sessions. */
  listRows(): string[];
  count(): number;
  close(): Promise<void>;
};

export function createSessionPool(deps: PoolDeps): SessionPool {
  return new LiveSessionPool(deps);
}

class LiveSessionPool implements SessionPool {
  readonly #deps: PoolDeps;
  readonly #backOffs: SessionBackOffs;
  /** The session that takes calls, by row, user and configuration. */
  readonly #current = new Map<string, SessionSlot>();
  /** Also those that end. */
  readonly #slots = new Set<SessionSlot>();
  readonly #closing = new AbortController();

  constructor(deps: PoolDeps) {
    this.#deps = deps;
    this.#backOffs = new SessionBackOffs(deps.timers);
  }

  async use<T>(target: SessionTarget, options: UseOptions, work: Work<T>): Promise<T> {
    options.signal.throwIfAborted();
    const first = await this.#useOnce(target, options, work);
    if ("result" in first) return first.result;
    // The server has refused the request unread, so it can be sent again.
    const second = await this.#useOnce(target, options, work);
    if ("result" in second) return second.result;
    throw new UpstreamError("The MCP server forgets its sessions at once. Try again later.");
  }

  endRow(rowId: string, presentConfigId: string | null): void {
    for (const slot of [...this.#current.values()]) {
      const { target } = slot;
      if (target.rowId === rowId && target.rowConfigId !== presentConfigId) this.#retire(slot);
    }
  }

  /** An account that was connected again leaves the session of its former tokens. */
  #endFormer({ rowId, accountId, configId }: SessionTarget): void {
    if (accountId === null) return;
    for (const slot of [...this.#current.values()]) {
      const { target } = slot;
      const isOfAccount = target.rowId === rowId && target.accountId === accountId;
      if (isOfAccount && target.configId !== configId) this.#retire(slot);
    }
  }

  listRows(): string[] {
    return [...new Set([...this.#current.values()].map(({ target }) => target.rowId))];
  }

  count(): number {
    return this.#slots.size;
  }

  async close(): Promise<void> {
    this.#closing.abort(new UpstreamError("The hub is stopping."));
    const open = [...this.#slots];
    for (const slot of open) this.#retire(slot);
    await Promise.allSettled(
      open.map(async ({ opening }) => {
        const session = await opening;
        await session.close();
      }),
    );
  }

  async #useOnce<T>(
    target: SessionTarget,
    options: UseOptions,
    work: Work<T>,
  ): Promise<{ result: T } | { forgotten: true }> {
    const slot = this.#acquire(target, options);
    if (slot.session === null) options.onOpening?.();
    try {
      const session = await raceAbort(slot.opening, options.signal);
      const result = await work(session);
      slot.hasAnswered = true;
      this.#backOffs.forget(toKey(target));
      return { result };
    } catch (thrown) {
      options.signal.throwIfAborted();
      if (slot.session?.isForgotten(thrown) === true) {
        this.#retire(slot);
        return { forgotten: true };
      }
      slot.hasAnswered ||= slot.session?.isOpen() === true;
      throw toUpstreamError(thrown);
    } finally {
      this.#release(slot);
    }
  }

  #acquire(target: SessionTarget, { ignoresBackOff = false }: UseOptions): SessionSlot {
    if (this.#closing.signal.aborted) throw new UpstreamError("The hub is stopping.");
    // What another configuration of the row opened must not be used.
    this.endRow(target.rowId, target.rowConfigId);
    this.#endFormer(target);
    const key = toKey(target);
    let slot = this.#current.get(key);
    if (slot?.session?.isOpen() === false) this.#retire(slot);
    slot = this.#current.get(key);
    if (slot === undefined) {
      if (!ignoresBackOff) this.#backOffs.check(key);
      this.#evictIdle(target);
      slot = this.#open(key, target);
    }
    // Counted before it waits, so that the session is not ended as idle.
    slot.cancelIdle();
    slot.calls += 1;
    return slot;
  }

  #evictIdle(target: SessionTarget): void {
    const evicted = findEvicted(this.#slots, target, this.#deps);
    if (evicted === null) return;
    this.#slots.delete(evicted);
    this.#retire(evicted);
  }

  #open(key: string, target: SessionTarget): SessionSlot {
    const slot = openSlot(target, this.#deps.timers.now(), this.#closing.signal);
    this.#current.set(key, slot);
    this.#slots.add(slot);
    slot.opening.then(
      (session) => {
        slot.session = session;
        session.ended.then(() => {
          const isExpected = slot.isRetired;
          this.#remove(key, slot);
          if (!isExpected) this.#recordCrash(key, slot);
        });
        if (slot.isRetired && slot.calls === 0) session.close();
      },
      (thrown) => {
        this.#remove(key, slot);
        this.#recordCrash(key, slot, thrown);
      },
    );
    return slot;
  }

  #recordCrash(key: string, { openedAt, hasAnswered }: SessionSlot, thrown?: unknown): void {
    const livedMs = this.#deps.timers.now() - openedAt;
    this.#backOffs.recordCrash(key, { livedMs, answered: hasAnswered }, thrown);
  }

  #remove(key: string, slot: SessionSlot): void {
    slot.isRetired = true;
    slot.cancelIdle();
    this.#slots.delete(slot);
    if (this.#current.get(key) === slot) this.#current.delete(key);
  }

  /** Ends a session after its running calls. */
  #retire(slot: SessionSlot): void {
    const key = toKey(slot.target);
    slot.isRetired = true;
    slot.cancelIdle();
    if (this.#current.get(key) === slot) this.#current.delete(key);
    if (slot.calls === 0) slot.session?.close();
  }

  #release(slot: SessionSlot): void {
    const { timers, idleMs } = this.#deps;
    slot.calls -= 1;
    slot.lastUsedAt = timers.now();
    if (slot.calls > 0) return;
    if (slot.isRetired) slot.session?.close();
    else slot.cancelIdle = timers.after(idleMs, () => this.#retire(slot));
  }
}
