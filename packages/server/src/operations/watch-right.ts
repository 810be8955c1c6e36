import type { Caller } from "../caller.ts";
import type { RowDirectory } from "../connectors/row-directory.ts";
import { isVisible } from "../connectors/visibility.ts";
import { HubError } from "../errors.ts";
import { type CheckedRelay, createCheckedRelay } from "../lib/checked-relay.ts";
import type { Timers } from "../lib/timers.ts";
import { isHiddenFrom, type Target } from "./find-operation.ts";
import type { CallContext, ProgressReport } from "./operations.ts";
import type { RunningCalls } from "./running-calls.ts";

type WatchDeps = {
  directory: RowDirectory;
  running: Pick<RunningCalls, "cancel">;
  timers: Timers;
};

/** The right of a caller to the progress and the outcome of a call that runs. */
export type WatchedRight = {
  /** Watches the call from now on. Returns the context whose progress ends with the right. */
  begin(runId: string, target: Target): CallContext;
  /** Throws if the right has ended since the call began, so that its outcome is not sent. */
  end(): Promise<void>;
};

/**
 * A call that takes less time is not checked again: its right was checked when it began, and each check reads the caller
 * from the database.
 */
const shortMs = 1_000;

/** Calls that began a short time ago. Most end before anything of their right must be checked. */
type WatchedCall = { startedAt: number; watch(): CheckedRelay<ProgressReport> };

/**
 * Ends calls with the right of their callers: if a caller may no longer use the hub or see the row, the call is
 * cancelled, and neither its progress nor its outcome is sent. The outcome of a short call is sent. A context without
 * `findCaller` is not watched.
 */
export function createRightWatch({ directory, running, timers }: WatchDeps) {
  const calls = new Set<WatchedCall>();
  let isSweeping = false;

  function sweepLater(): void {
    if (isSweeping || calls.size === 0) return;
    isSweeping = true;
    timers.after(shortMs, () => {
      isSweeping = false;
      const before = performance.now() - shortMs;
      // The oldest first.
      for (const call of calls) {
        if (call.startedAt > before) break;
        calls.delete(call);
        call.watch();
      }
      sweepLater();
    });
  }

  return function watchRight(ctx: CallContext): WatchedRight {
    const { findCaller, onProgress } = ctx;
    let relay: CheckedRelay<ProgressReport> | null = null;
    let call: WatchedCall | null = null;
    return {
      begin(runId, target) {
        if (findCaller === undefined) return ctx;
        const watch = () => {
          relay ??= createCheckedRelay<ProgressReport>({
            after: timers.after,
            check: () => checkRight(directory, findCaller, target),
            send: (report) => onProgress?.(report),
            onLost: ({ message }) => void running.cancel(runId, message),
          });
          return relay;
        };
        call = { startedAt: performance.now(), watch };
        calls.add(call);
        sweepLater();
        if (onProgress === undefined) return ctx;
        return { ...ctx, onProgress: (report) => watch().put(report) };
      },
      async end() {
        if (call === null) return;
        calls.delete(call);
        if (relay === null && performance.now() - call.startedAt < shortMs) return;
        await call.watch().end();
      },
    };
  };
}

async function checkRight(
  directory: RowDirectory,
  findCaller: () => Promise<Caller | null>,
  { row, connector, operation }: Target,
): Promise<void> {
  const caller = await findCaller();
  if (caller === null) {
    throw new HubError(
      "unauthorized",
      "You may no longer use the hub, so the answer of this call is not sent. The call is recorded.",
    );
  }
  const present = (await directory.current(caller.seen)).find(row.id);
  if (present !== null && isVisible(caller, present) && !isHiddenFrom(caller, connector, operation))
    return;
  throw new HubError(
    "not_found",
    "You may no longer use this tool, so the answer of this call is not sent. The call is recorded.",
  );
}
