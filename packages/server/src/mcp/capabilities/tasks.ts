import { isJsonObject } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { CallContext, ClientTold } from "../../operations/operations.ts";
import type { Operations, PendingTask } from "../../operations/ports.ts";
import type { Capability, Method } from "../capability.ts";
import type { Params } from "../frames/frame.ts";
import { tasksExtension } from "../modes/protocol-versions.ts";
import { readAction } from "../pending/tell-pending.ts";
import type { InFlight } from "../replies/in-flight.ts";
import { checkDeclared } from "../tasks/check-declared.ts";
import { listenToTasks } from "../tasks/listen-to-tasks.ts";
import { presentWholeTask, toInputRequest } from "../tasks/present-task.ts";
import { createTaskWatch } from "../tasks/watch-tasks.ts";

type TasksDeps = Pick<Operations, "tasks" | "questions"> & {
  inFlight: Pick<InFlight, "isFull">;
  timers: Timers;
};

/** The extension Tasks: a client follows, answers and cancels the calls that it was given as tasks, on any server. */
export function createTasksCapability(deps: TasksDeps): Capability {
  const { tasks } = deps;
  const nameParam = "taskId";
  const listening = { ...deps, watch: createTaskWatch(deps), streams: new Map<string, number>() };
  const define = (
    answer: (ctx: CallContext, client: ClientTold, params: Params) => ReturnType<Method["answer"]>,
  ): Method => ({
    nameParam,
    answer(ctx, params) {
      const client = checkDeclared(ctx);
      checkCapacity(deps, ctx);
      return answer(ctx, client, params);
    },
  });
  return {
    advertised: {},
    extensions: { [tasksExtension]: {} },
    session: {},
    stateless: {
      "subscriptions/listen": {
        answer: (ctx, params, stream) => listenToTasks(listening, ctx, params, stream),
      },
      "tasks/get": define(async (ctx, client, params) =>
        presentWholeTask(checkFound(await tasks.find(ctx, readTaskId(params))), client),
      ),
      "tasks/update": define(async (ctx, client, params) => {
        const task = checkFound(await tasks.find(ctx, readTaskId(params)));
        await takeResponses(deps, { ctx, client, task }, readResponses(params));
        return "";
      }),
      "tasks/cancel": define(async (ctx, _client, params) => {
        checkFound(await tasks.cancel(ctx, readTaskId(params)));
        return "";
      }),
    },
  };
}

/** Each of these requests reads the database, and its client repeats it as often as it likes. */
function checkCapacity({ inFlight }: TasksDeps, { caller }: CallContext): void {
  if (!inFlight.isFull(caller.userId)) return;
  throw new HubError(
    "rate_limited",
    "Too many requests are open. Wait as long as pollIntervalMs says.",
  );
}

function readTaskId({ taskId }: Params): string {
  if (typeof taskId === "string") return taskId;
  throw new HubError("malformed_params", '"taskId" is required and must be a string.');
}

function readResponses({ inputResponses }: Params): Params {
  if (isJsonObject(inputResponses)) return inputResponses;
  throw new HubError("malformed_params", '"inputResponses" is required and must be an object.');
}

/** One message for all tasks that this caller does not have. */
function checkFound(task: PendingTask | null): PendingTask {
  if (task !== null) return task;
  throw new HubError("malformed_params", "This client has no such task, or it ended long ago.");
}

type Answered = { ctx: CallContext; client: ClientTold; task: PendingTask };

/** Keys that were not asked, or were answered, are ignored. That a page was opened decides nothing. */
async function takeResponses(
  { tasks, questions }: TasksDeps,
  { ctx, client, task }: Answered,
  responses: Params,
): Promise<void> {
  const asked = toInputRequest(task.state, client);
  if (asked === null || !Object.hasOwn(responses, asked.key)) return;
  if (task.state.kind === "asking") return await tasks.answer(ctx, task.id, responses);
  const action = readAction(responses[asked.key]);
  if (action === null) return;
  if (asked.request.params.mode === "form" && action !== "cancel") {
    await questions.decide(ctx, task.id, action === "accept" ? "approved" : "denied");
  }
  await tasks.markAnswered(ctx, task.id);
}
