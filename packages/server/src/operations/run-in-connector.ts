import type { Json } from "@hub/connector";
import type { ConnectorCall } from "../connectors/connector-port.ts";
import { breathe } from "../lib/breathe.ts";
import { findPlainJson, tooLargeValue } from "../lib/plain-json.ts";
import { writeJson } from "../lib/write-json.ts";
import { LargeAnswer } from "./answers/large-answers.ts";
import { type CallLimiter, toRowLimit } from "./call-limits.ts";
import { createDeadline } from "./create-deadline.ts";
import { toConnectorFailure } from "./describe-failure.ts";
import type { RunningCalls } from "./running-calls.ts";
import { type ConnectorCallDeps, type ConnectorRun, toConnectorCall } from "./to-connector-call.ts";

export type RunDeps = ConnectorCallDeps & {
  rowLimiter: CallLimiter;
  running: Pick<RunningCalls, "enter">;
};

/** One use of a connector: an operation, a health check or a look-up. */
export type ConnectorTask<Prepared> = {
  /** Names the task in the failure of one that takes too long, such as "operation". */
  name: string;
  timeoutMs: number;
  /** Runs under the row's limits, before the call is recorded as running. */
  prepare(): Promise<Prepared>;
  run(call: ConnectorCall, prepared: Prepared): Promise<unknown>;
};

/**
 * Runs a task in a connector: under the row's limits, recorded as running before it starts, until
 * its answer, its timeout or a cancellation, whichever comes first. A connector that ignores the
 * signal is no longer waited for. Every use of a connector passes through here.
 */
export async function runInConnector<Prepared>(
  deps: RunDeps,
  run: ConnectorRun,
  task: ConnectorTask<Prepared>,
): Promise<Json | LargeAnswer> {
  const { recording, row } = run;
  const release = deps.rowLimiter.enter(row.id, toRowLimit(recording.directory.settings));
  try {
    const prepared = await task.prepare();
    await recording.begin();
    return await runUntilDeadline(deps, run, task, prepared);
  } finally {
    release();
  }
}

async function runUntilDeadline<Prepared>(
  deps: RunDeps,
  run: ConnectorRun,
  task: ConnectorTask<Prepared>,
  prepared: Prepared,
): Promise<Json | LargeAnswer> {
  const { ctx, recording } = run;
  const deadline = createDeadline(ctx.signal, task);
  const leave = deps.running.enter(recording.runId, deadline.end);
  const { signal } = deadline;
  let isOver = false;
  try {
    const isListening = () => !isOver && !signal.aborted;
    const call = toConnectorCall(deps, run, { signal, isListening });
    return await toAnswer(await Promise.race([task.run(call, prepared), deadline.passed]));
  } catch (thrown) {
    throw signal.aborted ? signal.reason : toConnectorFailure(thrown);
  } finally {
    isOver = true;
    leave();
    deadline.clear();
  }
}

async function toAnswer(value: unknown): Promise<Json | LargeAnswer> {
  const plain = findPlainJson(value);
  if (plain !== tooLargeValue) return plain;
  return new LargeAnswer(await writeJson({ breathe }, value));
}
