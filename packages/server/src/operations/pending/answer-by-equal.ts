import type { PendingCall } from "../../store/pending/pending-call-record.ts";
import {
  type CallSeries,
  listAnsweringCalls,
  listDenials,
} from "../../store/pending/pending-calls-table.ts";
import { type CallDigest, type DigestedRequest, digestRequest } from "../calls/call-digest.ts";
import type { AdmitDeps } from "./admit-deps.ts";
import { answerBy, type Present } from "./answer-by.ts";
import { toTooManyDenials } from "./answer-repeat.ts";
import type { Admission } from "./pending-calls.ts";
import { pendingLimits } from "./pending-limits.ts";

type Equal = {
  /** The pending calls of the same principal that are equal, newest first. */
  calls: PendingCall[];
  /** With the key that seals now. */
  digest: CallDigest;
};

/** The pending calls of a principal that are equal to this one. */
export async function listEqualCalls(
  deps: AdmitDeps,
  series: CallSeries,
  request: DigestedRequest,
): Promise<Equal> {
  const ring = deps.ring.current();
  const digests = await Promise.all(
    [...ring.keys.keys()].map((keyId) => digestRequest(ring, request, keyId)),
  );
  const digest = digests.find((one) => one?.keyId === ring.sealing.id);
  if (digest === undefined || digest === null) throw new Error("The ring has no sealing key");
  const texts = digests.flatMap((one) => (one === null ? [] : [one.text]));
  return { calls: await listAnsweringCalls(deps.db, { ...series, digests: texts }), digest };
}

type Asker = {
  calls: readonly PendingCall[];
  present: Present;
  /** The pending call that is repeated, if the caller names one. */
  pendingId: string | undefined;
};

type Found = {
  admission: Admission;
  /** What a new question says about an equal call before it. */
  note: string | null;
};

/** What equal calls say of a call. Throws what its repeat is answered. */
export async function answerByEqual(
  deps: AdmitDeps,
  { calls, present, pendingId }: Asker,
): Promise<Found> {
  const at = deps.now();
  for (const call of calls) {
    const found = await answerBy(deps, call, { ...present, pendingId, at });
    if (found === "nothing") continue;
    if (found === "unknown") return { admission: null, note: toUnknownNote(call) };
    return { admission: found, note: null };
  }
  return { admission: null, note: null };
}

function toUnknownNote({ endedReason }: PendingCall): string {
  return `An equal call was approved before and ran, and ${endedReason}: whether it took effect is not known. Check its effect first.`;
}

/** Refuses an operation that people have denied again and again. */
export async function checkDenials(deps: AdmitDeps, series: CallSeries): Promise<void> {
  const at = deps.now();
  const denials = await listDenials(deps.db, series, {
    since: at - pendingLimits.denialMs,
    limit: pendingLimits.denials,
  });
  const [last] = denials;
  if (last !== undefined && denials.length >= pendingLimits.denials) {
    throw toTooManyDenials(last, at);
  }
}
