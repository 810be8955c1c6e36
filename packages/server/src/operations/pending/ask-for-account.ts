import { HubError, toHubError } from "../../errors.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import { markChangedAccountCall, reopenAccountCall } from "../../store/pending/account-calls.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { insertPendingCall } from "../../store/pending/pending-calls-table.ts";
import { storeSecrets } from "../../store/settings/store-secrets.ts";
import { type DigestedRequest, digestRequest } from "../calls/call-digest.ts";
import { toToolId } from "../catalogue/tool-id.ts";
import { findCallingWorkflow } from "../operations.ts";
import { type AppliedRule, judgeCall } from "../rules/judge-call.ts";
import type { AdmitDeps } from "./admit-deps.ts";
import { toWaitingDetail } from "./answer-repeat.ts";
import { type Question, questionLimits, toKeptRequest, toPendingCall } from "./ask-question.ts";
import { digestBasis } from "./digest-basis.ts";
import { findPrincipal, formatPrincipal } from "./principal.ts";
import { addQuestionBytes, checkQuestionBytes } from "./question-bytes.ts";
import { refuseByRule } from "./refuse-by-rule.ts";
import { sealRequest } from "./sealed-request.ts";

type Asked = Pick<Question, "ctx" | "recording" | "prepared" | "sent">;

/** The terms of a call that its user answers by connecting an account. */
const ownTerms: AppliedRule = {
  id: "",
  revision: 0,
  name: "",
  sentence: "",
  decide: { by: "caller" },
  confirm: "page",
  hour: { allowed: false, fixed: [], destructive: false },
  changedBy: null,
  runsOnApproval: false,
};

/**
 * Stores a call whose user must connect an account first, and throws its `needs_account`. Too many of them, large ones, and
 * those of workflows, of widgets and of the local admin are not stored: their error has the page alone.
 */
export async function askForAccount(deps: AdmitDeps, asked: Asked): Promise<never> {
  const { ctx, recording, prepared } = asked;
  const { caller } = ctx;
  const { target, needsAccount: failure, widget } = prepared;
  if (failure === null) throw new Error("The call needs no account");
  if (caller.ownerId !== undefined) throw refuseService(target.row.label);
  const judged = judgeCall(recording.directory.rules, { ...target, caller }, { now: deps.now });
  if (judged.kind === "refuse") throw refuseByRule(judged.rule);
  const { path, problem } = failure.detail;
  const baseUrl = await deps.findBaseUrl();
  if (typeof path !== "string" || typeof problem !== "string" || baseUrl === null) throw failure;
  const url = `${baseUrl}${path}`;
  const isKept =
    caller.userId !== LOCAL_ADMIN_ID && findCallingWorkflow(ctx) === null && widget === undefined;
  const kept = isKept ? await storeQuestion(deps, asked) : null;
  throw toError(failure, { url, problem, kept });
}

/** A question would wait for a person who cannot sign in. */
function refuseService(label: string): HubError {
  return new HubError(
    "needs_account",
    `"${label}" is used with accounts of people, and a service user has none. Nothing has run. Ask an admin for a row with shared access.`,
  );
}

type Kept = { call: PendingCall; isNew: boolean };
type Shown = { url: string; problem: string; kept: Kept | null };

function toError({ detail }: HubError, { url, problem, kept }: Shown): HubError {
  const repeat = kept === null ? "" : ", or call with pending_id";
  return new HubError(
    "needs_account",
    `${problem} Nothing has run. Ask the user to connect it at ${url}, then make this call again${repeat}.`,
    {
      detail: {
        ...detail,
        url,
        ...(kept !== null && toWaitingDetail(kept.call, url)),
        ...(kept !== null && !kept.isNew && { asked_before: true }),
      },
    },
  );
}

/** Null if it is not kept. */
async function storeQuestion(
  deps: AdmitDeps,
  { ctx, recording, prepared, sent }: Asked,
): Promise<Kept | null> {
  const { target } = prepared;
  const ring = deps.ring.current();
  const toolId = toToolId(target.row.id, target.operation.key);
  // No id of an account, so that it is equal to no call that has one.
  const account = `to connect: ${sent.account ?? ""}`;
  const fields = sent.fields ?? [];
  const request: DigestedRequest = { toolId, params: sent.params, account, fields, step: null };
  const digest = await digestRequest(ring, request);
  if (digest === null) throw new Error("The ring has no sealing key");
  const series = {
    userId: ctx.caller.userId,
    principal: formatPrincipal(findPrincipal(ctx)),
    rowId: target.row.id,
    operationKey: target.operation.key,
  };
  const basis = await digestBasis({ ...target, rule: null });
  const asked = await toPendingCall(deps, {
    ctx,
    recording,
    prepared,
    sent,
    rule: ownTerms,
    series,
    request,
    digest,
    basis,
    note: null,
  });
  const call: PendingCall = {
    ...asked,
    reason: "account",
    shown: { ...asked.shown, rule: null },
    ruleId: null,
    ruleRevision: null,
  };
  const kept = toKeptRequest({ request, sent });
  try {
    const outcome = await storeSecrets(
      { store: deps, ring: deps.ring },
      (present) => sealRequest(present, call.id, kept),
      async (trx, sealed) => {
        const stored = await insertPendingCall(trx, { ...call, sealed }, questionLimits);
        if ("refused" in stored) return stored;
        if (stored.stored.id === call.id) checkQuestionBytes(deps, { ...call, sealed });
        const { id } = stored.stored;
        // An account was connected, and it works no longer.
        await reopenAccountCall(trx, id, call.createdAt);
        const former = sent.pendingId;
        if (former !== undefined && former !== id) await markChangedAccountCall(trx, former);
        return stored;
      },
    );
    if ("refused" in outcome) return null;
    if (outcome.stored.id === call.id) addQuestionBytes(deps, outcome.stored);
    return { call: outcome.stored, isNew: outcome.stored.id === call.id };
  } catch (thrown) {
    // Too large to be kept, or too much for a day.
    const { code } = toHubError(thrown);
    if (code === "refused_by_rule" || code === "rate_limited") return null;
    throw thrown;
  }
}
