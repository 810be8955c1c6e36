import { isJsonObject } from "@hub/connector";
import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { CallContext, ClientTold } from "../../operations/operations.ts";
import type { PendingTask, PendingTasks } from "../../operations/ports.ts";
import type { ReplyStream, StreamEnd } from "../capability.ts";
import type { Params } from "../frames/frame.ts";
import { toMembers, toNotificationText } from "../frames/write-frame.ts";
import { metaKeys } from "../modes/protocol-versions.ts";
import type { InFlight } from "../replies/in-flight.ts";
import { checkDeclared } from "./check-declared.ts";
import { presentWholeTask } from "./present-task.ts";
import type { TaskWatch } from "./watch-tasks.ts";

type ListenDeps = {
  tasks: Pick<PendingTasks, "find" | "listOwn">;
  watch: TaskWatch;
  inFlight: Pick<InFlight, "isFull">;
  /** How many streams each user has open. */
  streams: Map<string, number>;
  timers: Timers;
};

const tasksMax = 100;
const streamsMax = 20;
/** A client that wants more listens again. */
const listenMsMax = 60 * 60_000;
/** A user who may not use the hub any more keeps a stream so long, if no task changes. */
const checkCallerMs = 30_000;

/**
 * Answers `subscriptions/listen` of tasks, which is all that the hub notifies of: the acknowledgement, each change of a
 * task, and a result when all of them have ended. The caller and its right to each task are read again for each one, and the
 * caller from time to time.
 */
export async function listenToTasks(
  deps: ListenDeps,
  ctx: CallContext,
  params: Params,
  stream: ReplyStream | null,
): Promise<StreamEnd> {
  const ids = readTaskIds(params);
  const client = ids.length > 0 ? checkDeclared(ctx) : null;
  if (stream === null) {
    throw new HubError(
      "invalid_request",
      "This method needs a client that accepts text/event-stream.",
    );
  }
  const { userId } = ctx.caller;
  const others = deps.streams.get(userId) ?? 0;
  if (others >= streamsMax || deps.inFlight.isFull(userId)) {
    throw new HubError("rate_limited", "Too many requests are open. End some of them first.");
  }
  deps.streams.set(userId, others + 1);
  try {
    return await answerStream(deps, { ctx, client, ids, stream });
  } finally {
    const left = (deps.streams.get(userId) ?? 1) - 1;
    if (left === 0) deps.streams.delete(userId);
    else deps.streams.set(userId, left);
  }
}

type Subscription = Pick<Listening, "ctx" | "stream"> & {
  ids: readonly string[];
  /** Null if it asks for nothing that the hub notifies of. */
  client: ClientTold | null;
};

async function answerStream(
  deps: ListenDeps,
  { ctx, client, ids, stream }: Subscription,
): Promise<StreamEnd> {
  const meta = { [metaKeys.subscriptionId]: stream.requestId };
  // Ids alone: the results of a hundred tasks, for as long as a stream is open, would fill the memory.
  const open = new Set(ids.length === 0 ? [] : await deps.tasks.listOwn(ctx, ids));
  const accepted = ids.length === 0 ? {} : { taskIds: [...open] };
  const acknowledged = toMembers({ _meta: meta, notifications: accepted });
  stream.send(toNotificationText("notifications/subscriptions/acknowledged", acknowledged));
  if (client !== null) await notify(deps, { ctx, client, open, stream, meta });
  return { resultType: "complete", meta };
}

function readTaskIds({ notifications = {} }: Params): string[] {
  if (!isJsonObject(notifications)) {
    throw new HubError("malformed_params", '"notifications" must be an object.');
  }
  const { taskIds = [] } = notifications;
  const isValid = Array.isArray(taskIds) && taskIds.every((id) => typeof id === "string");
  if (!isValid || taskIds.length > tasksMax) {
    throw new HubError(
      "malformed_params",
      `"taskIds" must be a list of at most ${tasksMax} texts.`,
    );
  }
  return [...new Set(taskIds)];
}

type Listening = {
  ctx: CallContext;
  client: ClientTold;
  /** The ids of the tasks that have not been told as ended. */
  open: Set<string>;
  stream: ReplyStream;
  meta: StreamEnd["meta"];
};

/**
 * Resolves when all tasks have ended, when the client disconnects or ends its input, or when the caller may not use the hub
 * any more.
 */
async function notify(
  { tasks, watch, timers }: ListenDeps,
  { ctx, client, open, stream, meta }: Listening,
): Promise<void> {
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  // One after the other, so that a task is never told in an older state after a newer one.
  let turn: Promise<void> = Promise.resolve();
  let isOver = false;
  const tell = async (id: string) => {
    // A frame has a whole result: what a client does not read must not fill the memory.
    await stream.waitForReader();
    if (isOver) return;
    const caller = await findPresentCaller(ctx);
    if (caller === null) return resolve();
    if (ctx.signal.aborted || !open.has(id)) return;
    const task = await tasks.find({ ...ctx, caller }, id);
    if (task === null || isFinal(task)) open.delete(id);
    if (task !== null) {
      const whole = await presentWholeTask(task, client);
      const text = `${toMembers({ _meta: meta })},${whole}`;
      stream.send(toNotificationText("notifications/tasks", text));
    }
    if (open.size === 0) resolve();
  };
  const stopWatching = watch.watch([...open], (id) => {
    turn = turn.then(() => tell(id)).catch(reject);
  });
  const cancelEnd = timers.after(listenMsMax, resolve);
  let cancelCheck = () => {};
  const checkLater = () => {
    if (!isOver) cancelCheck = timers.after(checkCallerMs, () => void checkCaller());
  };
  const checkCaller = async () => {
    // A database that does not answer is asked again with the next round.
    const caller = await findPresentCaller(ctx).catch(() => ctx.caller);
    if (caller === null) resolve();
    else checkLater();
  };
  checkLater();
  ctx.signal.addEventListener("abort", () => resolve(), { once: true });
  stream.ended?.addEventListener("abort", () => resolve(), { once: true });
  if (ctx.signal.aborted || stream.ended?.aborted || open.size === 0) resolve();
  await promise.finally(() => {
    isOver = true;
    stopWatching();
    cancelEnd();
    cancelCheck();
  });
}

/** As stored now. Null if this caller may not use the hub any more. */
async function findPresentCaller({ caller, findCaller }: CallContext): Promise<Caller | null> {
  return findCaller === undefined ? caller : await findCaller();
}

function isFinal({ state }: PendingTask): boolean {
  return state.kind !== "waiting" && state.kind !== "running" && state.kind !== "asking";
}
