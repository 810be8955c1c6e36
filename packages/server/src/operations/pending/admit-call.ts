import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import { endPendingCall } from "../../store/pending/pending-call-states.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import { listLivePermits } from "../../store/pending/permits-table.ts";
import type { DigestedRequest } from "../calls/call-digest.ts";
import type { PreparedCall } from "../calls/prepare-call.ts";
import { toToolId } from "../catalogue/tool-id.ts";
import { type CallContext, type ExecuteRequest, findCallingWorkflow } from "../operations.ts";
import type { Recording } from "../records/recording.ts";
import { hasFreeCall } from "../rules/has-free-call.ts";
import { type AppliedRule, judgeCall } from "../rules/judge-call.ts";
import type { AdmitDeps } from "./admit-deps.ts";
import { admitRepeat, claimConnected, findConnected } from "./admit-repeat.ts";
import { admitUnasked, refuseUnapproved } from "./admit-unasked.ts";
import { answerByEqual, checkDenials, listEqualCalls } from "./answer-by-equal.ts";
import { askQuestion, type Question } from "./ask-question.ts";
import { toAskedAccount } from "./asked-account.ts";
import { digestBasis } from "./digest-basis.ts";
import { isAsFixed } from "./digest-fixed.ts";
import type { Admission } from "./pending-calls.ts";
import { findPrincipal, formatPrincipal } from "./principal.ts";
import { refuseByRule } from "./refuse-by-rule.ts";

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
  const { row, connector, operation } = target;
  const judged = judgeCall(recording.directory.rules, { caller, row, connector, operation }, deps);
  if (judged.kind === "pass") {
    return sent.pendingId === undefined ? null : admitRepeat(deps, prepared, sent);
  }
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

type Asked = Omit<Question, "series" | "request" | "digest" | "basis" | "note" | "connected">;

/**
 * permit → free → an equal call → a question. An equal call that was approved is used first, whatever else admits this one.
 * A call that has waited for an account and is repeated by its id runs by a permit, or becomes the question itself: it would
 * run beside its repeat otherwise. It uses no free call, which a claim does not count.
 */
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
  const account = toAskedAccount(prepared);
  const request: DigestedRequest = {
    toolId: toToolId(row.id, operation.key),
    params: sent.params,
    account,
    fields: sent.fields ?? [],
    step: findCallingWorkflow(ctx)?.step ?? null,
  };
  const { calls: equal, digest } = await listEqualCalls(deps, series, request);
  const { pendingId, onlyApproved } = sent;
  const present = { basis, rowVersion: row.record.version };
  const connected = await findConnected(deps, prepared, sent);
  const begun = connected === null ? await findBegun(deps, pendingId, equal) : null;
  const calls = begun === null ? equal : [begun, ...equal];
  const asker = { calls, present, pendingId, onlyApproved };
  if (await isPermitted(deps, { ...series, account: account ?? "", basis }, sent.params)) {
    // Of a connected call, equal ones are looked at as of any other: it does not run beside them.
    const given = connected === null ? asker : { ...asker, onlyApproved: false };
    const admission = await admitUnasked(deps, given);
    if (connected === null) return admission;
    if (admission === null) return await claimConnected(deps, connected, present.rowVersion);
    await endPendingCall(deps.db, { id: connected.id, ...toEqualEnd(deps) });
    return admission;
  }
  const question = { ...asked, series, request, basis, digest, connected };
  if (connected !== null) {
    const over = calls.filter(({ state }) => isOver.has(state));
    const { note } = await answerByEqual(deps, { ...asker, calls: over });
    await checkDenials(deps, series);
    return await askQuestion(deps, { ...question, note });
  }
  if (use !== null && (await hasFreeCall(deps.db, use))) {
    const admission = await admitUnasked(deps, asker);
    if (admission === null) recording.useFree(use);
    return admission;
  }
  const found = await answerByEqual(deps, asker);
  if (found.admission !== null) return found.admission;
  if (onlyApproved) throw refuseUnapproved();
  await checkDenials(deps, series);
  const { note } = found;
  return await askQuestion(deps, { ...question, note });
}

/** What equal calls say although this one has waited for an account. */
const isOver: ReadonlySet<PendingCall["state"]> = new Set(["denied", "running", "unknown"]);

const toEqualEnd = ({ now }: AdmitDeps) =>
  ({ state: "ended", reason: "an equal call was approved", at: now() }) as const;

/**
 * The named pending call if it is none of the equal ones, since it was stored with another account or without one, and a person
 * has decided on it: its repeat is answered by it. One that still waits ends.
 */
async function findBegun(
  { db, now }: AdmitDeps,
  pendingId: string | undefined,
  equal: readonly PendingCall[],
): Promise<PendingCall | null> {
  if (pendingId === undefined || equal.some(({ id }) => id === pendingId)) return null;
  const named = await findPendingCall(db, pendingId);
  if (named === null) return null;
  const end = { state: "changed", reason: "the account", at: now() } as const;
  if (named.state !== "open" && named.state !== "approved") return named;
  if (await endPendingCall(db, { id: pendingId, ...end })) return null;
  // It has begun, or was decided on, meanwhile.
  return await findPendingCall(db, pendingId);
}

export function toRuleBasis({ id, revision }: Pick<AppliedRule, "id" | "revision">) {
  return { id, revision };
}

async function isPermitted(
  { db, ring, now }: AdmitDeps,
  asked: Omit<Parameters<typeof listLivePermits>[1], "at">,
  params: Record<string, unknown>,
): Promise<boolean> {
  for (const { fixed } of await listLivePermits(db, { ...asked, at: now() })) {
    if (await isAsFixed(ring.current(), params, fixed)) return true;
  }
  return false;
}
