import { HubError } from "../../errors.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Db } from "../../store/database/database.ts";
import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { endPendingCall } from "../../store/pending/pending-call-states.ts";
import { listAnsweringCalls, listDenials } from "../../store/pending/pending-calls-table.ts";
import { listLivePermits } from "../../store/pending/permits-table.ts";
import { type DigestedRequest, digestRequest } from "../calls/call-digest.ts";
import type { PreparedCall } from "../calls/prepare-call.ts";
import { toToolId } from "../catalogue/tool-id.ts";
import { type CallContext, type ExecuteRequest, findWorkflowCause } from "../operations.ts";
import type { Recording } from "../records/recording.ts";
import { hasFreeCall } from "../rules/has-free-call.ts";
import { type AppliedRule, judgeCall } from "../rules/judge-call.ts";
import {
  toDeniedError,
  toOpenError,
  toRunningError,
  toStoredAnswer,
  toTooManyDenials,
} from "./answer-repeat.ts";
import { askQuestion, type Question } from "./ask-question.ts";
import { createClaim } from "./create-claim.ts";
import { digestBasis } from "./digest-basis.ts";
import { digestFixed } from "./digest-fixed.ts";
import type { Admission } from "./pending-calls.ts";
import { pendingLimits } from "./pending-limits.ts";
import { findPrincipal, formatPrincipal } from "./principal.ts";

export type AdmitDeps = {
  db: Db;
  ring: RingHolder;
  now(): number;
  instanceId: string;
  /** The address of a server of this hub; null if none runs. */
  findBaseUrl(): Promise<string | null>;
};

/** Null at once for calls that no rule names. They pay for nothing else. */
export function admitCall(
  deps: AdmitDeps,
  ctx: CallContext,
  recording: Recording,
  prepared: PreparedCall,
  sent: ExecuteRequest,
): Admission | Promise<Admission> {
  const { target } = prepared;
  const { caller } = ctx;
  const judged = judgeCall(recording.directory.rules, { ...target, caller }, { now: deps.now });
  if (judged.kind === "pass") return null;
  if (judged.kind === "refuse") throw refuseByRule(judged.rule);
  const use = judged.kind === "free" ? judged.use : null;
  return judgeAsked(deps, { ctx, recording, prepared, sent, rule: judged.rule }, use);
}

/** Why people would be asked about a call, if no permit and no free call is left; null if they would not. */
export function previewCall(
  { now }: Pick<AdmitDeps, "now">,
  {
    caller,
    recording,
    target,
  }: Pick<CallContext, "caller"> & Pick<PreparedCall, "target"> & { recording: Recording },
): string | null {
  const judged = judgeCall(recording.directory.rules, { ...target, caller }, { now });
  if (judged.kind === "pass") return null;
  if (judged.kind === "refuse") throw refuseByRule(judged.rule);
  const unless = judged.kind === "free" ? ", unless one of its free calls is left" : "";
  return `A live run waits here for a person: the rule "${judged.rule.name}" asks before this call${unless}.`;
}

function refuseByRule({ sentence }: AppliedRule): HubError {
  const reason = sentence === "" ? "" : ` ${sentence}`;
  return new HubError(
    "refused_by_rule",
    `A rule of this hub refuses this call, and no person is asked.${reason} Ask an admin.`,
  );
}

type Asked = Omit<Question, "series" | "request" | "digest" | "basis" | "note">;

/** permit → free → an equal call → a question. */
async function judgeAsked(
  deps: AdmitDeps,
  asked: Asked,
  use: Parameters<typeof hasFreeCall>[1] | null,
): Promise<Admission> {
  const { ctx, recording, prepared, sent, rule } = asked;
  const { row, operation } = prepared.target;
  const series = {
    userId: ctx.caller.userId,
    principal: formatPrincipal(findPrincipal(ctx)),
    rowId: row.id,
    operationKey: operation.key,
  };
  const basis = await digestBasis({ ...prepared.target, rule: toRuleBasis(rule) });
  const account = findAccountId(prepared);
  if (await isPermitted(deps, { ...series, account: account ?? "", basis }, sent.params)) {
    return null;
  }
  if (use !== null && (await hasFreeCall(deps.db, use))) {
    recording.useFree(use);
    return null;
  }
  const request: DigestedRequest = {
    toolId: toToolId(row.id, operation.key),
    params: sent.params,
    account,
    fields: sent.fields ?? [],
    step: findWorkflowCause(ctx)?.step ?? null,
  };
  const found = await findEqual(deps, { ...series, request, basis });
  if (found.admission !== null) return found.admission;
  return await askQuestion(deps, {
    ...asked,
    series,
    request,
    basis,
    digest: found.digest,
    note: found.note,
  });
}

export function toRuleBasis({ id, revision }: Pick<AppliedRule, "id" | "revision">) {
  return { id, revision };
}

/** The account is a part of what the caller is shown, and of what runs. */
function findAccountId({ account }: Pick<PreparedCall, "account">): string | null {
  return account?.kind === "own" ? account.id : null;
}

async function isPermitted(
  { db, now }: AdmitDeps,
  asked: Omit<Parameters<typeof listLivePermits>[1], "at">,
  params: Record<string, unknown>,
): Promise<boolean> {
  for (const { fixed } of await listLivePermits(db, { ...asked, at: now() })) {
    const digests = await digestFixed(params, Object.keys(fixed));
    if (Object.entries(fixed).every(([name, digest]) => digests[name] === digest)) return true;
  }
  return false;
}

type Equal = {
  userId: string;
  principal: string;
  rowId: string;
  operationKey: string;
  request: DigestedRequest;
  basis: string;
};

type Found = {
  admission: Admission;
  digest: { keyId: number; text: string };
  /** What a new question says about an equal call before it. */
  note: string | null;
};

/** What the pending calls of the same principal say of an equal call. Throws what its repeat is answered. */
async function findEqual(deps: AdmitDeps, { request, basis, ...series }: Equal): Promise<Found> {
  const ring = deps.ring.current();
  const digests = await Promise.all(
    [...ring.keys.keys()].map((keyId) => digestRequest(ring, request, keyId)),
  );
  const digest = digests.find((one) => one?.keyId === ring.sealing.id);
  if (digest === undefined || digest === null) throw new Error("The ring has no sealing key");
  const texts = digests.flatMap((one) => (one === null ? [] : [one.text]));
  const at = deps.now();
  let note: string | null = null;
  for (const call of await listAnsweringCalls(deps.db, { ...series, digests: texts })) {
    const found = await answerBy(deps, call, { basis, at });
    if (found === "nothing") continue;
    if (found !== "unknown") return { admission: found, digest, note: null };
    note = unknownNote;
    break;
  }
  const denials = await listDenials(deps.db, series, {
    since: at - pendingLimits.denialMs,
    limit: pendingLimits.denials,
  });
  const [last] = denials;
  if (last !== undefined && denials.length >= pendingLimits.denials)
    throw toTooManyDenials(last, at);
  return { admission: null, digest, note };
}

const unknownNote =
  "An equal call was approved before, and the hub stopped while it ran: whether it took effect is not known. Check its effect first.";

/** What one pending call says of an equal call. */
async function answerBy(
  deps: AdmitDeps,
  call: PendingCall,
  { basis, at }: { basis: string; at: number },
): Promise<Exclude<Admission, null> | "nothing" | "unknown"> {
  const { db } = deps;
  const end = (state: "expired" | "changed", reason: string) =>
    endPendingCall(db, { id: call.id, state, reason, at });
  switch (call.state) {
    case "open":
    case "approved": {
      const until = call.state === "open" ? call.expiresAt : (call.approvedUntil ?? 0);
      if (until <= at) {
        await end("expired", call.state === "open" ? "not decided" : "not used");
        return "nothing";
      }
      if (call.basis !== basis) {
        await end("changed", "the row, the operation or the rule");
        return "nothing";
      }
      if (call.state === "approved") return { claim: createClaim(deps, call) };
      throw toOpenError(call, await findUrl(deps, call.id), at);
    }
    case "running":
      throw toRunningError(call, await findUrl(deps, call.id));
    case "denied":
      if ((call.decidedAt ?? 0) <= at - pendingLimits.denialMs) return "nothing";
      throw toDeniedError(call, at);
    case "done": {
      const isOwn = call.runsByItself || call.isTask;
      const answersMs = isOwn ? pendingLimits.ownResultMs : pendingLimits.resultMs;
      if (call.result === null || (call.resultAt ?? 0) <= at - answersMs) return "nothing";
      return { answer: toStoredAnswer(deps.ring.current(), call) };
    }
    case "unknown":
      return "unknown";
    default:
      return "nothing";
  }
}

async function findUrl(deps: AdmitDeps, id: string): Promise<string | null> {
  const baseUrl = await deps.findBaseUrl();
  return baseUrl === null ? null : toCallUrl(baseUrl, id);
}

/** The page of a pending call. */
export function toCallUrl(baseUrl: string, id: string): string {
  return `${baseUrl}/approvals/calls/${id}`;
}
