import { toJsonText } from "@hub/connector";
import { errorTable } from "../../errors.ts";
import type { ClientRequest, ClientTold } from "../../operations/operations.ts";
import type { PendingTask, TaskState } from "../../operations/ports.ts";
import { type MembersText, toMembers } from "../frames/write-frame.ts";
import { presentForModel, presentResult } from "../methods/present-result.ts";
import { toForm, toPage } from "../pending/tell-pending.ts";

type Status = "working" | "input_required" | "completed" | "failed" | "cancelled";

/** How often a client asks, if it is not told by a subscription. */
const waitingPollMs = 5_000;
const runningPollMs = 1_000;

/** What every result about a task says of it. */
export function presentTask(task: PendingTask, client: ClientTold): MembersText {
  const { id: taskId, state } = task;
  return toMembers({
    taskId,
    status: toStatus(state, client),
    statusMessage: toStatusMessage(state),
    createdAt: new Date(task.createdAt).toISOString(),
    lastUpdatedAt: new Date(task.updatedAt).toISOString(),
    ttlMs: task.keptUntil - task.createdAt,
    pollIntervalMs: state.kind === "waiting" ? waitingPollMs : runningPollMs,
  });
}

/** The same with what it asks, or with its end. A result of the tool that is a failure is a result. */
export async function presentWholeTask(
  task: PendingTask,
  client: ClientTold,
): Promise<MembersText> {
  const { state, toolId } = task;
  const part = await presentOutcome(state, toolId, client);
  const members = presentTask(task, client);
  return part === null ? members : `${members},${part}`;
}

/** `key` is of one request of a task: for its account, for the approval that may follow, or for a question while it runs. */
type InputRequest = { key: string; request: ClientRequest };

/** What a task asks of its client; null if it asks nothing, or nothing that the client has declared. */
export function toInputRequest(
  state: TaskState,
  { elicitation }: Pick<ClientTold, "elicitation">,
): InputRequest | null {
  if (state.kind === "asking") {
    const { request } = state.question;
    const isShown = request.params.mode === "url" ? elicitation.url : elicitation.form;
    return isShown ? state.question : null;
  }
  if (state.kind !== "waiting" || state.isAnswered || !state.isForCaller) return null;
  const key = state.reason === "account" ? "account" : "approval";
  const form = elicitation.form ? toForm(state.question) : null;
  if (form !== null) return { key, request: form };
  if (!elicitation.url || state.url === null) return null;
  return { key, request: toPage(key, state.url) };
}

async function presentOutcome(
  state: TaskState,
  toolId: string,
  client: ClientTold,
): Promise<MembersText | null> {
  switch (state.kind) {
    case "waiting":
    case "asking": {
      const asked = toInputRequest(state, client);
      return asked && toMembers({ inputRequests: { [asked.key]: asked.request } });
    }
    case "done":
      return toInlined(await presentResult({ text: state.text }));
    case "refused":
      return toInlined(presentForModel(state.failure, toolId));
    case "unknown": {
      const { rpcCode: code } = errorTable.internal;
      return `"error":${toJsonText({ code, message: unknownMessage })}`;
    }
    case "running":
    case "cancelled":
      return null;
  }
}

/** The result as `tools/call` would have answered it, so that clients read both by one schema. */
function toInlined(result: MembersText): MembersText {
  return `"result":{"resultType":"complete",${result}}`;
}

const unknownMessage =
  "The hub stopped while the call ran, or could not store its outcome: whether it took effect is not known, and the hub does not repeat it. Check its effect first.";

function toStatus(state: TaskState, client: ClientTold): Status {
  switch (state.kind) {
    case "waiting":
    case "asking":
      return toInputRequest(state, client) === null ? "working" : "input_required";
    case "running":
      return "working";
    case "done":
    case "refused":
      return "completed";
    case "cancelled":
      return "cancelled";
    case "unknown":
      return "failed";
  }
}

/** For the model and its user: most clients show it. */
function toStatusMessage(state: TaskState): string | undefined {
  switch (state.kind) {
    case "waiting": {
      const { reason, isForCaller, url } = state;
      const page = url === null ? "" : ` The page: ${url}`;
      if (reason === "account") return `The user must connect an account first.${page}`;
      if (isForCaller) return `The user must approve this call on a page of the hub.${page}`;
      return `Another person must approve this call. Nothing has run.${page}`;
    }
    case "running":
      return "The call runs, or is about to.";
    case "asking":
      return "The call runs, and the outside system asks the user before it goes on.";
    case "cancelled":
      return "The call was cancelled.";
    case "unknown":
      return unknownMessage;
    case "done":
    case "refused":
      return undefined;
  }
}
