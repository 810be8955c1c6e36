import type { Caller } from "../../caller.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { RowDirectory } from "../../connectors/rows/row-directory.ts";
import { HubError } from "../../errors.ts";
import { type CheckedRelay, createCheckedRelay } from "../../lib/streams/checked-relay.ts";
import type { Timers } from "../../lib/time/timers.ts";
import { judge } from "../admission/admit.ts";
import { type Admitted, type ToolCall, toWorld } from "../admission/call.ts";
import type { CallContext, ProgressReport } from "../operations.ts";
import type { RunningCalls } from "./running-calls.ts";

type WatchDeps = {
  directory: RowDirectory;
  registry: Pick<ConnectorRegistry, "isAwaited">;
  now(): number;
  running: Pick<RunningCalls, "cancel">;
  timers: Timers;
};

/** A call whose caller may lose the right to it. */
export type WatchedCall = {
  readonly ctx: CallContext;
  readonly runId: string;
  readonly target: Admitted<ToolCall>;
  readonly startedAt: number;
  /** Null until something of its right must be checked, which most calls end before. */
  relay: CheckedRelay<ProgressReport> | null;
};

/** The rights of callers to the progress and the outcome of calls that run. */
export type RightWatch = {
  /**
   * Watches a call from now on. Null if its right cannot end: the context has no `findCaller`, or a workflow made the
   * call, whose step has the right of its beginning.
   */
  begin(ctx: CallContext, runId: string, target: Admitted<ToolCall>): WatchedCall | null;
  /** The context of a call whose progress ends with the right. */
  toContext(call: WatchedCall): CallContext;
  /**
   * Null if the outcome may be sent, else a promise to await first. Rejects if the right has ended since the call began.
   */
  end(call: WatchedCall): Promise<void> | null;
  /**
   * Of calls that ended while others of their message or script ran: those whose outcome may no longer be sent, with the
   * reason. Rejects if the caller may no longer use the hub.
   */
  checkTargets<Key>(
    ctx: Pick<CallContext, "findCaller">,
    targets: ReadonlyMap<Key, Admitted<ToolCall>>,
  ): Promise<ReadonlyMap<Key, HubError>>;
};

/**
 * A call that takes less time is not checked again: its right was checked when it began, and each check reads the caller
 * from the database.
 */
export const shortMs = 1_000;

/**
 * Ends calls with the right of their callers: if a caller may no longer use the hub or see the row, the call is
 * cancelled, and neither its progress nor its outcome is sent. The outcome of a short call is sent.
 */
export function createRightWatch(deps: WatchDeps): RightWatch {
  const { timers } = deps;
  /** Calls that began a short time ago, the oldest first. */
  const begun = new Set<WatchedCall>();
  let isSweeping = false;

  function sweepLater(): void {
    if (isSweeping || begun.size === 0) return;
    isSweeping = true;
    timers.after(shortMs, () => {
      isSweeping = false;
      const before = performance.now() - shortMs;
      for (const call of begun) {
        if (call.startedAt > before) break;
        begun.delete(call);
        watch(deps, call);
      }
      sweepLater();
    });
  }

  return {
    begin(ctx, runId, target) {
      if (ctx.findCaller === undefined || ctx.origin.source === "workflow") return null;
      const call = { ctx, runId, target, startedAt: performance.now(), relay: null };
      begun.add(call);
      sweepLater();
      return call;
    },
    toContext(call) {
      const { ctx } = call;
      if (ctx.onProgress === undefined) return ctx;
      return { ...ctx, onProgress: (report) => watch(deps, call).put(report) };
    },
    end(call) {
      begun.delete(call);
      const isShort = call.relay === null && performance.now() - call.startedAt < shortMs;
      return isShort ? null : watch(deps, call).end();
    },
    async checkTargets(ctx, targets) {
      if (ctx.findCaller === undefined || targets.size === 0) return new Map();
      const mayStill = await readRights(deps, ctx);
      const lost = [...targets].filter(([, target]) => !mayStill(target));
      return new Map(lost.map(([key]) => [key, toLostTarget()]));
    },
  };
}

function watch(deps: WatchDeps, call: WatchedCall): CheckedRelay<ProgressReport> {
  const { running, timers } = deps;
  const { ctx, runId, target } = call;
  call.relay ??= createCheckedRelay<ProgressReport>({
    after: timers.after,
    check: () => checkRight(deps, ctx, target),
    send: (report) => ctx.onProgress?.(report),
    onLost: ({ message }) => void running.cancel(runId, message),
  });
  return call.relay;
}

async function checkRight(
  deps: WatchDeps,
  ctx: CallContext,
  target: Admitted<ToolCall>,
): Promise<void> {
  const mayStill = await readRights(deps, ctx);
  if (!mayStill(target)) throw toLostTarget();
}

/** Reads the caller and the rows as they are now. Throws `unauthorized` if the caller may no longer use the hub. */
async function readRights(
  deps: WatchDeps,
  { findCaller }: Pick<CallContext, "findCaller">,
): Promise<(target: Admitted<ToolCall>) => boolean> {
  const caller: Caller | null = (await findCaller?.()) ?? null;
  if (caller === null) {
    throw new HubError(
      "unauthorized",
      "You may no longer use the hub, so the answer of this call is not sent. The call is recorded.",
    );
  }
  const directory = await deps.directory.current(caller.seen);
  const world = toWorld(deps, directory);
  return (target) => {
    const present = { ...target, caller, row: directory.find(target.row.id) };
    // A former admin may test some rows, and not on this path: its clicks save settings.
    const hasPath = target.path !== "manager" || caller.role === "admin";
    return hasPath && judge(world, present, "visibility").kind === "pass";
  };
}

function toLostTarget(): HubError {
  return new HubError(
    "not_found",
    "You may no longer use this tool, so the answer of this call is not sent. The call is recorded.",
  );
}
