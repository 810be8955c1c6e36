import type { Json } from "@hub/connector";
import type { ConnectorCall } from "../../connectors/connector-port.ts";
import type { SpaceGuard } from "../../lib/files/space-guard.ts";
import { findPlainJson, tooLargeValue } from "../../lib/json/plain-json.ts";
import { writeJson } from "../../lib/json/write-json.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { LargeAnswer } from "../answers/large-answers.ts";
import { toConnectorFailure } from "../masking/describe-failure.ts";
import { type CallLimiter, toRowLimit } from "./call-limits.ts";
import { createDeadline } from "./create-deadline.ts";
import { limitProgress } from "./limit-progress.ts";
import type { RunningCalls } from "./running-calls.ts";
import {
  type ConnectorCallDeps,
  type ConnectorRun,
  type Lifetime,
  reportProgress,
  toConnectorCall,
} from "./to-connector-call.ts";

export type RunDeps = ConnectorCallDeps & {
  now: () => number;
  rowLimiter: CallLimiter;
  running: Pick<RunningCalls, "enter">;
  space: SpaceGuard;
};

/** One use of a connector: an operation, a health check or a look-up. */
export type ConnectorTask<Prepared, Early = never> = {
  /** The name in the timeout message, such as "operation". */
  name: string;
  timeoutMs: number;
  /**
   * Ends the place of the call among the running calls of its user. Given if the task makes calls of its own: they count
   * in place of it, so that they do not wait for it.
   */
  leaveUser?: (() => void) | undefined;
  /** Runs within the row's limits, before the call is recorded as running. */
  prepare(): Promise<Prepared>;
  /** The answer, if what is prepared is one already. Then nothing is called. */
  findAnswer?: (prepared: Prepared) => Early | null;
  run(call: ConnectorCall, prepared: Prepared): Promise<unknown>;
};

/**
 * Runs a task in a connector, within the row's limits. The call is recorded as running before the
 * task starts. It ends with the answer, the timeout or a cancellation, whichever comes first, even
 * if the connector ignores the signal. Every use of a connector passes through here.
 */
export async function runInConnector<Prepared, Early = never>(
  deps: RunDeps,
  run: ConnectorRun,
  task: ConnectorTask<Prepared, Early>,
): Promise<Json | LargeAnswer | Early> {
  const { recording, row } = run;
  deps.space.requireSpace();
  const entry = deps.rowLimiter.enter(row.id, toRowLimit(recording.directory.settings));
  try {
    const prepared = await task.prepare();
    const early = task.findAnswer?.(prepared) ?? null;
    if (early !== null) return early;
    if (entry.admitted !== null) recording.require(entry.admitted);
    await recording.begin();
    if (task.leaveUser !== undefined) {
      entry.release();
      task.leaveUser();
    }
    return await runUntilDeadline(deps, run, task, async (lifetime) => {
      const progress = limitProgress(deps, (...report) => reportProgress(run, ...report));
      const answer = await task.run(
        toConnectorCall(deps, run, lifetime, progress.report),
        prepared,
      );
      progress.flush();
      return answer;
    });
  } finally {
    entry.release();
  }
}

/**
 * Runs the work of a recorded call. It ends with the answer, the timeout or a cancellation, whichever
 * comes first.
 */
export async function runUntilDeadline(
  deps: Pick<RunDeps, "running">,
  { ctx, recording }: Pick<ConnectorRun, "ctx" | "recording">,
  limits: { name: string; timeoutMs: number },
  work: (lifetime: Lifetime) => Promise<unknown>,
): Promise<Json | LargeAnswer> {
  const deadline = createDeadline(ctx.signal, limits);
  const unregister = deps.running.enter(recording.runId, deadline.end, deadline.watch);
  const { signal } = deadline;
  let isOver = false;
  try {
    const isListening = () => !isOver && !signal.aborted;
    const value = await deadline.race(work({ signal, isListening }));
    const plain = findPlainJson(value);
    return plain === tooLargeValue ? await writeLarge(value) : plain;
  } catch (thrown) {
    throw signal.aborted ? signal.reason : toConnectorFailure(thrown);
  } finally {
    isOver = true;
    unregister();
    deadline.clear();
  }
}

async function writeLarge(value: unknown): Promise<LargeAnswer> {
  return new LargeAnswer(await writeJson({ yieldToEventLoop }, value));
}
