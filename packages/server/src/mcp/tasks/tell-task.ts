import type { HubError } from "../../errors.ts";
import type { CallContext } from "../../operations/operations.ts";
import { readPendingDetail } from "../../operations/pending/pending-error.ts";
import type { PendingTasks } from "../../operations/ports.ts";
import type { UnfinishedAnswer } from "../capability.ts";
import { presentTask } from "./present-task.ts";

/**
 * Gives a call that waits, or runs already, to its client as a task. Null if the client did not declare tasks with this
 * request, or the failure is another one.
 */
export async function tellTask(
  tasks: PendingTasks,
  ctx: CallContext,
  failure: HubError,
): Promise<UnfinishedAnswer | null> {
  const { client } = ctx;
  if (client?.mode !== "stateless" || !client.tasks) return null;
  const detail = readPendingDetail(failure);
  const task = detail && (await tasks.make(ctx, detail.pending_id));
  return task && { resultType: "task", members: presentTask(task, client) };
}
