import { isJsonObject, toJsonText } from "@hub/connector";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import type { Timers } from "../../lib/time/timers.ts";
import type { CallContext, ClientRequest } from "../../operations/operations.ts";
import { type PendingDetail, readPendingDetail } from "../../operations/pending/pending-error.ts";
import { showText } from "../../operations/pending/show-params.ts";
import type { ClientQuestion, ClientQuestions, PendingTasks } from "../../operations/ports.ts";
import type { ClientInput, NeededInput } from "./needed-input.ts";
import { notifyPageEnded } from "./notify-page-ended.ts";
import type { RequestStates } from "./request-states.ts";
import type { DecisionWatch } from "./watch-decisions.ts";

export type PendingTelling = {
  states: RequestStates;
  questions: ClientQuestions;
  decisions: DecisionWatch;
  tasks: PendingTasks;
  timers: Timers;
};

/** The key of the one request in a result that asks about a pending call. */
const requestKey = "approval";

const keptSchema = z.strictObject({ pending: z.string(), asked: z.enum(["form", "url"]) });
type Kept = z.infer<typeof keptSchema>;

/** The pending call that the client was asked about before, and has answered. */
export type Heard = { pendingId: string };

/**
 * Takes what the client answers about a pending call, before its request runs again. A form decides the call, if its rule
 * lets a form do so. That a page was opened decides nothing: the hub waits a while for what its user does there. Null if
 * there is no answer, which asks again.
 */
export async function hearPending(
  { questions, decisions }: PendingTelling,
  ctx: CallContext,
  { responses, kept }: ClientInput,
): Promise<Heard | null> {
  // Most calls end here.
  if (kept === null) return null;
  const { data: asked } = keptSchema.safeParse(kept);
  const action = readAction(responses[requestKey]);
  if (asked === undefined || action === null) return null;
  const { pending: pendingId } = asked;
  if (asked.asked === "form") await decide(questions, ctx, pendingId, action);
  else if (action === "accept") await decisions.wait(ctx, pendingId);
  return { pendingId };
}

/**
 * Tells a client of a call that waits for its own user, by the best way that it has declared. The outcome is an answer that
 * asks, or `decided` if the client has answered within the call; null if the client has no such way, so that a result of
 * the tool tells it. Throws `url_elicitation_required`. Others who decide are not at this client: it is asked nothing.
 */
export async function tellPending(
  { questions, timers }: PendingTelling,
  ctx: CallContext,
  failure: HubError,
  heard: Heard | null,
): Promise<NeededInput | "decided" | null> {
  const { client } = ctx;
  const detail = readPendingDetail(failure);
  if (client === undefined || detail === null || detail.decider !== "you") return null;
  // Asked about once, a client is not asked again: the user may be busy with the page.
  if (failure.code === "still_running" || detail.pending_id === heard?.pendingId) return null;
  const form = client.elicitation.form ? await findForm(questions, ctx, detail) : null;
  if (form !== null) {
    if (client.mode === "stateless") return toNeeded(form, detail, "form");
    const action = ctx.askClient ? readAction(await ctx.askClient(form)) : null;
    if (action !== null && action !== "cancel") {
      await decide(questions, ctx, detail.pending_id, action);
      return "decided";
    }
  }
  return tellPage({ questions, timers }, ctx, failure, detail);
}

function tellPage(
  deps: Pick<PendingTelling, "questions" | "timers">,
  ctx: CallContext,
  failure: HubError,
  detail: PendingDetail,
): NeededInput | null {
  const { client } = ctx;
  const { url, pending_id: elicitationId } = detail;
  if (client?.elicitation.url !== true || url === undefined) return null;
  const request = toPage(failure.code === "needs_account" ? "account" : "approval", url);
  if (client.mode === "stateless") return toNeeded(request, detail, "url");
  // Clients that cannot open a page tell their model neither the address nor the id of the error: the repeat does.
  if (detail.asked_before === true) return null;
  notifyPageEnded(deps, ctx, elicitationId);
  throw new HubError("url_elicitation_required", failure.message, {
    detail: { elicitations: [{ ...request.params, elicitationId }], code: failure.code, ...detail },
  });
}

/** The request to open the page of a call that waits. */
export function toPage(reason: "account" | "approval", url: string): ClientRequest {
  const message =
    reason === "account"
      ? "A call needs an account of yours. Open the hub's page to connect it."
      : "A call waits for your approval. Open the hub's page to see it and to decide.";
  return { method: "elicitation/create", params: { mode: "url", message, url } };
}

function toNeeded(
  request: ClientRequest,
  { pending_id: pending }: PendingDetail,
  asked: Kept["asked"],
): NeededInput {
  return { requests: { [requestKey]: request }, kept: { pending, asked } satisfies Kept };
}

async function decide(
  questions: ClientQuestions,
  ctx: CallContext,
  id: string,
  action: Action,
): Promise<void> {
  // A form that is closed decides nothing. A call that was decided meanwhile stays so.
  if (action === "cancel") return;
  await questions.decide(ctx, id, action === "accept" ? "approved" : "denied");
}

/** What a form can show. A longer call is decided on its page, so that what runs was shown. */
const paramsCharsMax = 2000;

/** The form about a call that may be confirmed in its client. */
async function findForm(
  questions: ClientQuestions,
  ctx: CallContext,
  { pending_id: id }: PendingDetail,
): Promise<ClientRequest | null> {
  const question = await questions.find(ctx, id);
  return question === null || question.state !== "open" ? null : toForm(question);
}

/** The form about a call; null if its rule, or its length, leaves it to the page. */
export function toForm({
  isConfirmedByClient,
  shown,
}: Pick<ClientQuestion, "isConfirmedByClient" | "shown">): ClientRequest | null {
  const message = isConfirmedByClient ? describeCall(shown) : null;
  if (message === null) return null;
  const requestedSchema = { type: "object", properties: {} };
  return { method: "elicitation/create", params: { mode: "form", message, requestedSchema } };
}

function describeCall({
  rowLabel,
  operationName,
  isDestructive,
  params,
  account,
  rule,
  note,
}: ClientQuestion["shown"]): string | null {
  const shown = toJsonText(params);
  if (shown.length > paramsCharsMax) return null;
  const lines = [
    `Let this call run? ${quoteName(operationName)} of ${quoteName(rowLabel)}${isDestructive ? ", which is destructive" : ""}.`,
    ...(account === null ? [] : [`With your account ${quoteName(account)}.`]),
    `Params: ${shown}`,
    ...(rule === null || rule.sentence === "" ? [] : [rule.sentence]),
    ...(note === null ? [] : [note]),
  ];
  return lines.join("\n");
}

/** A name from elsewhere ends at its quote and on its line, so that it imitates no other part of the form. */
function quoteName(name: string): string {
  return toJsonText(showText(name));
}

type Action = "accept" | "decline" | "cancel";

/** Null for what is not the result of an elicitation. */
export function readAction(result: unknown): Action | null {
  const action = isJsonObject(result) ? result.action : undefined;
  return action === "accept" || action === "decline" || action === "cancel" ? action : null;
}
