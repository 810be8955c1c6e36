import type { Json } from "@hub/connector";
import { toHubError } from "../../errors.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type {
  CallContext,
  ClientRequest,
  ClientTold,
  SealedResult,
} from "../../operations/operations.ts";
import type { RunningCall } from "../../operations/pending/follow-running-call.ts";
import type { PendingTask, PendingTasks } from "../../operations/ports.ts";
import type { UnfinishedAnswer } from "../capability.ts";
import type { NeededInput } from "../pending/needed-input.ts";
import type { OpenRelay } from "../pending/open-relay.ts";
import type { InFlight } from "../replies/in-flight.ts";
import { askInTask } from "./ask-in-task.ts";
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
 * Runs a call of an operation. If it takes long or asks within itself, and its client declares tasks, the answer is a task:
 * the call goes on in this process, does not end with the request, and its result is stored. It runs once, whatever happens
 * to the task.
 */
export async function runAsTask(
  deps: RunAsTaskDeps,
  ctx: CallContext,
  relay: OpenRelay | null,
  run: (ctx: CallContext) => Promise<Outcome>,
): Promise<Outcome | UnfinishedAnswer> {
  const { client } = ctx;
  if (!declaresTasks(client)) return await run(ctx);
  const known: Partial<RunningCall> = {};
  const call = new AbortController();
  const stop = () => call.abort(ctx.signal.reason);
  ctx.signal.addEventListener("abort", stop, { once: true });
  if (ctx.signal.aborted) stop();
  const asking = createAsking(deps);
  const running = run({
    ...ctx,
    signal: call.signal,
    askClient: asking.askClient,
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
    const isSlow = await isSlowOrAsking(deps, running, asking.begun);
    const { runId, target } = isSlow ? known : {};
    if (runId === undefined || target === undefined) return await endWithoutTask(asking, running);
    if (relay !== null && !relay.close()) return await running;
    const task = await followCall(deps, ctx, { runId, target });
    if (task === null) {
      relay?.reopen();
      return await endWithoutTask(asking, running);
    }
    keepRunning(deps, { ctx, call, running, runId, id: task.id });
    const members = presentTask(await askFirst(deps, ctx, asking, { task, runId }), client);
    return { resultType: "task", members };
  } finally {
    ctx.signal.removeEventListener("abort", stop);
  }
}

type Asking = {
  /** Waits until the call is a task. */
  askClient(request: ClientRequest): Promise<Json | null>;
  /** Resolves when the call asks for the first time. */
  begun: Promise<void>;
  /** Lets questions go to the client of this task, or to none. */
  open(task: { id: string; runId: string } | null): void;
  /** Whether a question was asked before, and resolves when it is stored. */
  first(): Promise<void> | null;
};

/** The questions of a call to its client, one after the other. */
function createAsking({ tasks, timers, log }: RunAsTaskDeps): Asking {
  const begun = Promise.withResolvers<void>();
  const task = Promise.withResolvers<{ id: string; runId: string } | null>();
  const stored = Promise.withResolvers<void>();
  let turn: Promise<unknown> = Promise.resolve();
  let count = 0;
  const ask = async (request: ClientRequest) => {
    const run = await task.promise;
    if (run === null) return null;
    count += 1;
    const question = { key: `question-${count}`, request };
    return await askInTask({ tasks, timers, log }, run, question, stored.resolve);
  };
  let isBegun = false;
  return {
    begun: begun.promise,
    open: task.resolve,
    first: () => (isBegun ? stored.promise : null),
    askClient(request) {
      isBegun = true;
      begun.resolve();
      const answer = turn.then(() => ask(request));
      turn = answer.catch(() => {});
      return answer;
    },
  };
}

/** A call that is no task asks nothing within itself. */
function endWithoutTask({ open }: Asking, running: Promise<Outcome>): Promise<Outcome> {
  open(null);
  return running;
}

/** The task as it is when what it asks is stored, if it asks something already. */
async function askFirst(
  { tasks, log }: RunAsTaskDeps,
  ctx: CallContext,
  asking: Asking,
  { task, runId }: { task: PendingTask; runId: string },
): Promise<PendingTask> {
  asking.open({ id: task.id, runId });
  const first = asking.first();
  if (first === null) return task;
  await first;
  try {
    return (await tasks.find(ctx, task.id)) ?? task;
  } catch (err) {
    // The call is out. A client that is told of the task does not call again.
    log.error({ err }, "A task could not be read again after its first question");
    return task;
  }
}

/** Whether a call of this context may become a task. It costs less to ask than to begin one. */
export function mayBecomeTask({ client }: Pick<CallContext, "client">): boolean {
  return declaresTasks(client);
}

function declaresTasks(client: CallContext["client"]): client is ClientTold {
  return client?.mode === "stateless" && client.tasks;
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

function isSlowOrAsking(
  { timers }: RunAsTaskDeps,
  running: Promise<unknown>,
  asking: Promise<void>,
): Promise<boolean> {
  return new Promise((resolve) => {
    const cancel = timers.after(slowMs, () => resolve(true));
    const end = (isSlow: boolean) => {
      cancel();
      resolve(isSlow);
    };
    asking.then(() => end(true));
    running.then(
      () => end(false),
      () => end(false),
    );
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
