import { randomBytes } from "node:crypto";
import { HubError } from "../../errors.ts";
import type { Transaction } from "../../store/database/database.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import {
  type CallSeries,
  insertPendingCall,
  putAskedQuestion,
  type QuestionRefusal,
} from "../../store/pending/pending-calls-table.ts";
import { findWorkflowRunId } from "../../store/pending/workflow-principal.ts";
import { storeSecrets } from "../../store/settings/store-secrets.ts";
import type { DigestedRequest } from "../calls/call-digest.ts";
import type { PreparedCall } from "../calls/prepare-call.ts";
import { type CallContext, type ExecuteRequest, findCallingWorkflow } from "../operations.ts";
import type { Recording } from "../records/recording.ts";
import type { AppliedRule } from "../rules/judge-call.ts";
import { listExcluded } from "../rules/list-excluded.ts";
import type { AdmitDeps } from "./admit-deps.ts";
import { toOpenError } from "./answer-repeat.ts";
import { toAskedAccount } from "./asked-account.ts";
import { toCallUrl } from "./call-url.ts";
import { findPrincipalName } from "./find-principal-name.ts";
import { pendingLimits } from "./pending-limits.ts";
import { findPrincipal } from "./principal.ts";
import { addQuestionBytes, checkQuestionBytes } from "./question-bytes.ts";
import { type KeptRequest, sealRequest } from "./sealed-request.ts";
import { showParams, showText } from "./show-params.ts";

export type Question = {
  ctx: CallContext;
  recording: Recording;
  prepared: PreparedCall;
  sent: ExecuteRequest;
  rule: AppliedRule;
  series: CallSeries;
  /** What `digest` is of. */
  request: DigestedRequest;
  digest: { keyId: number; text: string };
  basis: string;
  /** What the approver is told about an equal call before it. */
  note: string | null;
  /** The call that becomes the question: it has waited for an account. Null for a new one. */
  connected: PendingCall | null;
};

/** The most calls of one reason that may be open. */
export const questionLimits = {
  ofUser: pendingLimits.openOfUser,
  ofOperation: pendingLimits.openOfOperation,
};

/** Stores a question and throws what its caller is answered. An equal question that another call has just stored is the same. */
export async function askQuestion(deps: AdmitDeps, question: Question): Promise<never> {
  const baseUrl = await deps.findBaseUrl();
  if (baseUrl === null) throw refuseWithoutPage();
  if (question.prepared.widget !== undefined) throw refuseWidget();
  const { ctx, rule } = question;
  // Its program would decide about itself.
  if (rule.decide.by === "caller" && ctx.caller.ownerId !== undefined) throw refuseService();
  if (findCallingWorkflow(ctx) !== null && ctx.cause?.kind !== "workflow") {
    throw refuseWorkflowScript();
  }
  const asked = await toPendingCall(deps, question);
  const call = { ...asked, id: question.connected?.id ?? asked.id };
  const request = toKeptRequest(question);
  const outcome = await storeSecrets(
    { store: deps, ring: deps.ring },
    (ring) => sealRequest(ring, call.id, request),
    (trx, sealed) =>
      question.connected === null
        ? storeQuestion(deps, trx, { ...call, sealed })
        : putAskedQuestion(trx, { ...call, sealed }, questionLimits),
  );
  if (outcome === null) throw refuseOver();
  if ("refused" in outcome) throw refuseQuestion(outcome.refused, call);
  const { stored } = outcome;
  // Those of a call that has waited were counted when it began to.
  if (stored.id === asked.id) addQuestionBytes(deps, stored);
  const url = toCallUrl(baseUrl, stored.id);
  throw toOpenError(stored, { url, at: deps.now(), isNew: stored.id === call.id });
}

/** An equal question that is there is found before the bytes of this one count. */
async function storeQuestion(deps: AdmitDeps, trx: Transaction, call: PendingCall) {
  const outcome = await insertPendingCall(trx, call, questionLimits);
  if ("stored" in outcome && outcome.stored.id === call.id) checkQuestionBytes(deps, call);
  return outcome;
}

export function toKeptRequest({ request, sent }: Pick<Question, "request" | "sent">): KeptRequest {
  const { params, ...digested } = request;
  const { fields, account, readsOnly = false } = sent;
  return { toolId: request.toolId, params, fields, account, readsOnly, digested };
}

export async function toPendingCall(
  { db, now }: AdmitDeps,
  {
    ctx,
    recording,
    prepared,
    sent,
    rule,
    series,
    digest,
    basis,
    note,
  }: Omit<Question, "connected">,
): Promise<PendingCall> {
  const { row, connector, operation } = prepared.target;
  const { ip, userAgent, source } = ctx.origin;
  const at = now();
  const isOwn = rule.decide.by === "caller";
  const expiresAt = at + (isOwn ? pendingLimits.callerMs : pendingLimits.othersMs);
  const workflow = findCallingWorkflow(ctx);
  const workflowRunId = workflow?.id ?? null;
  const asked = { userId: ctx.caller.userId, workflowRunId };
  return {
    ...series,
    // Random: a time in it would tell others when it was asked.
    id: randomBytes(16).toString("hex"),
    principalName: await findPrincipalName(db, findPrincipal(ctx)),
    reason: "approval",
    state: "open",
    sealed: new Uint8Array(),
    digestKey: digest.keyId,
    digest: digest.text,
    basis,
    shown: {
      rowLabel: row.label,
      connectorKey: connector.key,
      connectorName: connector.name,
      operationName: operation.name,
      description: showText(operation.description),
      isDestructive: operation.destructive,
      params: showParams(recording.mask, operation.inputFields, sent.params),
      account: prepared.account?.kind === "own" ? prepared.account.label : null,
      accountId: toAskedAccount(prepared),
      rule: { name: rule.name, sentence: rule.sentence },
      note,
    },
    decider:
      rule.decide.by === "caller"
        ? { kind: "caller" }
        : { kind: "tags", tags: [...rule.decide.tags] },
    excluded: isOwn ? [] : await listExcluded(db, asked),
    ruleId: rule.id,
    ruleRevision: rule.revision,
    confirm: rule.confirm,
    // The run of a workflow goes on by itself, and makes the call.
    runsByItself: rule.runsOnApproval && workflow === null,
    origin: {
      source,
      ip,
      userAgent: userAgent && showText(userAgent),
      client: findClient(ctx),
      ...(ctx.caller.scope && { scope: ctx.caller.scope }),
      ...(ctx.caller.bounds && { bounds: ctx.caller.bounds }),
      ...(workflow?.step && { step: workflow.step }),
    },
    askedRunId: recording.runId,
    createdAt: at,
    expiresAt,
    approvedUntil: null,
    decidedAt: null,
    decidedBy: null,
    decidedByEmail: null,
    decidedVia: null,
    comment: null,
    runId: null,
    instanceId: null,
    result: null,
    resultAt: null,
    keepUntil: expiresAt + pendingLimits.keptMs,
    isTask: false,
    endedReason: null,
    deputyId: null,
    deputyBy: null,
    remindedAt: null,
    chatState: "",
  };
}

function findClient({ client }: CallContext): PendingCall["origin"]["client"] {
  if (client === undefined || client.name === null) return null;
  return { name: showText(client.name), version: showText(client.version ?? "") };
}

function refuseQuestion(limit: QuestionRefusal, call: CallSeries): HubError {
  const whose = findWorkflowRunId(call) === null ? "this user" : "this user's workflows";
  const sentence =
    limit === "user"
      ? `${questionLimits.ofUser} calls of ${whose} wait for a decision already, which is the maximum.`
      : `${questionLimits.ofOperation} calls of this operation wait for a decision already, which is the maximum.`;
  return new HubError(
    "rate_limited",
    `${sentence} Nothing has run. Ask the user to decide on them first, or wait until they end.`,
    { detail: { retry_after_s: 60, is_of_questions: true } },
  );
}

/** Whether a call was refused because too many wait for a decision: it may be asked about later. */
export function hasTooManyQuestions({ code, detail }: HubError): boolean {
  return code === "rate_limited" && detail.is_of_questions === true;
}

function refuseOver(): HubError {
  return new HubError(
    "approval_required",
    "The call that waited for an account has just ended, or was asked about by another repeat. Nothing has run by this call. Make it again.",
    { detail: { retry_after_s: 1, run_by_repeat: true } },
  );
}

function refuseService(): HubError {
  return new HubError(
    "refused_by_rule",
    "The user of this call must confirm it, and a service user confirms nothing. Nothing has run. Ask an admin for a rule by which others decide, or call as a person.",
  );
}

function refuseWithoutPage(): HubError {
  return new HubError(
    "refused_by_rule",
    "A person must approve this call on a page of the hub, and no server of this hub runs. Start it with hub serve, then call again.",
  );
}

/** The step would fail, and a later run asks anew: an approval would be of no use. */
function refuseWorkflowScript(): HubError {
  return new HubError(
    "refused_by_rule",
    "A person must approve this call, and a script in a workflow cannot wait for that. Call the operation in a step of its own.",
  );
}

function refuseWidget(): HubError {
  return new HubError(
    "refused_by_rule",
    "A person must approve this operation, and a button in a form cannot wait for that. Call the operation from a client.",
  );
}
