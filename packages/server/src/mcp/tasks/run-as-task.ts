import { toHubError } from "../../errors.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { CallContext, SealedResult } from "../../operations/operations.ts";
import type { RunningCall } from "../../operations/pending/follow-running-call.ts";
import type { PendingTask, PendingTasks } from "../../operations/ports.ts";
import type { UnfinishedAnswer } from "../capability.ts";
import type { NeededInput } from "../pending/needed-input.ts";
import type { InFlight } from "../replies/in-flight.ts";
import { presentTask } from "./present-task.ts";

/** A client waits so long for the answer to a request. Many give up after a minute. */
const slowMs = 30_000;

export type RunAsTaskDeps = {
  tasks: PendingTasks;
  inFlight: Pick<InFlight, "start">;
  timers: Timers;
  log: Pick<Log, "error">;
};

type Outcome = SealedResult | NeededInput;

/**
 * Runs a call of an operation. If it takes long and its client declares tasks, the answer is a task: the call goes on in
 * this process, does not end with the request, and its result is stored. It runs once, whatever happens to the task.
 */
export async function runAsTask(
  deps: RunAsTaskDeps,
  ctx: CallContext,
  run: (ctx: CallContext) => Promise<Outcome>,
): Promise<Outcome | UnfinishedAnswer> {
  const { client } = ctx;
  if (client?.mode !== "stateless" || !client.tasks) return await run(ctx);
  const known: Partial<RunningCall> = {};
  const call = new AbortController();
  const stop = () => call.abort(ctx.signal.reason);
  ctx.signal.addEventListener("abort", stop, { once: true });
  if (ctx.signal.aborted) stop();
  const running = run({
    ...ctx,
    signal: call.signal,
    onTarget(target) {
      known.target = target;
      ctx.onTarget?.(target);
    },
    onRecord(runId) {
      known.runId = runId;
      ctx.onRecord?.(runId);
    },
  });
  try {
    const { runId, target } = (await isSlow(deps, running)) ? known : {};
    if (runId === undefined || target === undefined) return await running;
    const task = await followCall(deps, ctx, { runId, target });
    if (task === null) return await running;
    keepRunning(deps, { ctx, call, running, runId, id: task.id });
    return { resultType: "task", members: presentTask(task, client) };
  } finally {
    ctx.signal.removeEventListener("abort", stop);
  }
}

/** Null also if the database fails now: the call is out, so that its client waits for it and does not call again. */
async function followCall(
  { tasks, log }: RunAsTaskDeps,
  ctx: CallContext,
  call: RunningCall,
): Promise<PendingTask | null> {
  try {
    return await tasks.follow(ctx, call);
  } catch (err) {
    log.error({ err }, "A call did not become a task");
    return null;
  }
}

function isSlow({ timers }: RunAsTaskDeps, running: Promise<unknown>): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = timers.after(slowMs, () => resolve(true));
    const end = () => {
      cancel();
      resolve(false);
    };
    running.then(end, end);
  });
}

type KeptCall = RunIds & { ctx: CallContext; call: AbortController; running: Promise<Outcome> };
type RunIds = { id: string; runId: string };

/** No id of a session has a space, so that the end of a session ends no task. */
const taskSession = "running task";

/** The call holds a slot of its own, so that the hub waits for it when it stops. */
function keepRunning(
  { tasks, inFlight, log }: RunAsTaskDeps,
  { ctx, call, running, id, runId }: KeptCall,
): void {
  const owner = ctx.caller.userId;
  const held = inFlight.start({ owner, session: taskSession, id }, 0);
  held.signal.addEventListener("abort", () => call.abort(held.signal.reason), { once: true });
  if (held.signal.aborted) call.abort(held.signal.reason);
  const ended = { id, runId, userId: owner };
  running
    .then(
      (outcome) => tasks.finish(ended, toEnd(outcome)),
      (thrown) => tasks.finish(ended, { failure: toHubError(thrown) }),
    )
    // Its record has ended: the task becomes one whose outcome is not known.
    .catch((err) => log.error({ err }, "The result of a task was not stored"))
    .finally(held.end);
}

function toEnd(outcome: Outcome): Parameters<PendingTasks["finish"]>[1] {
  if (!("requests" in outcome)) return { result: outcome };
  const thrown = new Error("A call that runs as a task asked its client.");
  return { failure: toHubError(thrown) };
}
