import type { Caller } from "../caller.ts";
import type { RowDirectory } from "../connectors/row-directory.ts";
import { isVisible } from "../connectors/visibility.ts";
import { HubError } from "../errors.ts";
import { type CheckedRelay, createCheckedRelay } from "../lib/checked-relay.ts";
import { systemTimers } from "../lib/timers.ts";
import { isHiddenFrom, type Target } from "./find-operation.ts";
import type { CallContext, ProgressReport } from "./operations.ts";
import type { RunningCalls } from "./running-calls.ts";

type WatchDeps = { directory: RowDirectory; running: Pick<RunningCalls, "cancel"> };

/** The right of a caller to the progress and the outcome of a call that runs. */
export type WatchedRight = {
  /** Watches the call from now on. Returns the context whose progress ends with the right. */
  begin(runId: string, target: Target): CallContext;
  /** Throws if the right has ended since the call began, so that its outcome is not sent. */
  end(): Promise<void>;
};

/**
 * Ends a call with the right of its caller: if the caller may no longer use the hub or see the row, the call is cancelled,
 * and neither its progress nor its outcome is sent. A context without `findCaller` is not watched.
 */
export function watchRight({ directory, running }: WatchDeps, ctx: CallContext): WatchedRight {
  let relay: CheckedRelay<ProgressReport> | null = null;
  const { findCaller, onProgress = () => {} } = ctx;
  return {
    begin(runId, target) {
      if (findCaller === undefined) return ctx;
      const { put, end } = createCheckedRelay<ProgressReport>({
        after: systemTimers.after,
        check: () => checkRight(directory, findCaller, target),
        send: onProgress,
        onLost: ({ message }) => void running.cancel(runId, message),
      });
      relay = { put, end };
      return { ...ctx, onProgress: put };
    },
    end: async () => await relay?.end(),
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
