import type {
  PendingCall,
  PendingCallDetail,
  PendingCallOutcome,
  PendingCallState,
} from "@hub/contract/pending-call.ts";
import type { Caller } from "../../caller.ts";
import { findUserNames } from "../../identity/find-user-names.ts";
import { type Page, type PageInput, parsePage } from "../../lib/input/page.ts";
import { toCursorText } from "../../lib/input/page-cursor.ts";
import { countScanned, scannedAtOnce, scanPage } from "../../lib/input/scan-page.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { listDeciderChanges } from "../../operations/rules/list-excluded.ts";
import type { Db } from "../../store/database/database.ts";
import { toCallSummary } from "../../store/pending/call-summary.ts";
import { listEarlierCalls } from "../../store/pending/earlier-calls.ts";
import type { PendingCall as StoredCall } from "../../store/pending/pending-call-record.ts";
import { findPendingCall } from "../../store/pending/pending-calls-table.ts";
import {
  countPendingCalls,
  findPendingCallAt,
  isNamedFor,
  listPendingMarks,
  type PendingFilter,
  type PendingMark,
} from "../../store/pending/pending-lists.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { findCallPersonRefusal, findShownState, refuseUnknownCall } from "./call-rules.ts";
import { findHour } from "./find-hour.ts";
import { findExcludedSince, needsExcluded, toPendingReader } from "./pending-reading.ts";
import { presentListedCall, presentPendingCall } from "./present-pending-call.ts";

/** What reads calls. */
export type ReadPendingDeps = Pick<ServiceDeps, "store" | "now">;

export type PendingListInput = PageInput & {
  state?: PendingCallState | undefined;
  /** Only those whose question ended so. */
  outcome?: PendingCallOutcome | undefined;
  /** Only those that wait no longer. */
  isDecided?: boolean | undefined;
  /** Only those about which the caller is asked. */
  isMine?: boolean | undefined;
  /** Only those that the caller may decide now. */
  isDecidable?: boolean | undefined;
};

/** Presented between two turns of the event loop. */
const presentedAtOnce = 200;
/** The number of waiting calls is counted up to this. */
const waitingMax = 1_000;
const earlierMax = 10;

/**
 * One page of the calls that the caller may see, newest first: those of the caller, those about which the caller is asked,
 * and for admins all. It has fewer if matches are rare.
 */
export async function listPendingCalls(
  { store: { db }, now }: ReadPendingDeps,
  caller: Caller,
  {
    limit,
    after,
    isMine = false,
    isDecidable = false,
    isDecided = false,
    outcome,
    state,
  }: PendingListInput = {},
): Promise<Page<PendingCall>> {
  const page = parsePage({ limit, after }, "number");
  const { cursor } = page;
  const reader = toPendingReader(caller);
  const filter: PendingFilter = {
    state: isDecidable ? "open" : state,
    ...(isDecided && { decidedBy: now() }),
    ...(outcome !== undefined && { ended: { outcome, at: now() } }),
    ...(caller.role !== "admin" && { visibleTo: reader }),
    ...((isMine || isDecidable) && { asked: reader }),
    ...(isDecidable && { decider: { userId: caller.userId, at: now() } }),
  };
  const { items: marks, end } = await scanPage(
    {
      read: (from, most) =>
        listPendingMarks(db, filter, reader, {
          after: from,
          limit: most,
          scannedMax: scannedAtOnce,
        }),
      findEnd: (from) => findPendingCallAt(db, filter, from, scannedAtOnce - 1),
    },
    cursor && { createdAt: Number(cursor.key), id: cursor.id },
    page.limit,
  );
  const shown = await presentMarks(db, marks, { caller, at: now() });
  return {
    items: isDecidable ? shown.filter(({ may_decide: mayDecide }) => mayDecide) : shown,
    next: end === null ? null : toCursorText({ key: end.createdAt, id: end.id }),
  };
}

async function presentMarks(
  db: Db,
  marks: ReadonlyArray<PendingMark & { isNamed: boolean }>,
  { caller, at }: { caller: Caller; at: number },
): Promise<PendingCall[]> {
  const emails = await readEmails(db, marks);
  const open = marks.filter(needsExcluded);
  const since = Math.min(...open.map(({ createdAt }) => createdAt));
  const changes = open.length === 0 ? [] : await listDeciderChanges(db, since);
  const shown: PendingCall[] = [];
  for (const mark of marks) {
    shown.push(
      presentListedCall(mark, {
        userId: caller.userId,
        isAdmin: caller.role === "admin",
        isNamed: mark.isNamed,
        excludedSince: findExcludedSince(changes, mark),
        emails,
        at,
      }),
    );
    if (shown.length % presentedAtOnce === 0) await yieldToEventLoop();
  }
  return shown;
}

/**
 * How many calls wait for the decision of the caller: at most 1,000, of the newest 20,000 that are open. Those that the
 * caller may not decide since the question are counted too.
 */
export async function countWaitingCalls(
  { store: { db }, now }: ReadPendingDeps,
  caller: Caller,
): Promise<number> {
  const filter: PendingFilter = {
    state: "open",
    asked: toPendingReader(caller),
    decider: { userId: caller.userId, at: now() },
  };
  return await countScanned(
    {
      count: (after) => countPendingCalls(db, filter, { after, scannedMax: scannedAtOnce }),
      findEnd: (after) => findPendingCallAt(db, filter, after, scannedAtOnce - 1),
    },
    waitingMax,
  );
}

/** A call for its caller, for those who are asked about it, and for admins. Others get `not_found`. */
export async function showPendingCall(
  { store: { db }, now }: ReadPendingDeps,
  caller: Caller,
  id: string,
): Promise<PendingCallDetail> {
  const call = await findPendingCall(db, id);
  if (call === null) throw refuseUnknownCall();
  const reader = toPendingReader(caller);
  const isNamed = await isNamedFor(db, id, reader);
  const isAdmin = caller.role === "admin";
  if (!isNamed && !isAdmin && call.userId !== caller.userId) throw refuseUnknownCall();
  return await readPendingCall(db, call, { userId: caller.userId, isAdmin, isNamed, at: now() });
}

/** A call as a user sees it who may see it. */
export async function readPendingCall(
  db: Db,
  call: StoredCall,
  { userId, isAdmin, isNamed, at }: Reader,
): Promise<PendingCallDetail> {
  const mark = { ...call, summary: toCallSummary(call.shown) };
  const changes = needsExcluded(mark) ? await listDeciderChanges(db, call.createdAt) : [];
  const excludedSince = findExcludedSince(changes, mark);
  const decider = { userId, isAdmin, isNamed, excludedSince };
  const mayDecide =
    findShownState(call, at) === "open" && findCallPersonRefusal(call, decider) === null;
  const { userId: callerId, rowId, operationKey, askedRunId: before } = call;
  return presentPendingCall(
    call,
    { ...decider, at, emails: await readEmails(db, [call]) },
    {
      earlier: await listEarlierCalls(
        db,
        { userId: callerId, rowId, operationKey, before },
        earlierMax,
      ),
      hour: mayDecide ? await findHour(db, call) : null,
      mayNameDeputy: mayDecide && call.decider.kind === "tags" && call.deputyId !== userId,
    },
  );
}

type Reader = { userId: string; isAdmin: boolean; isNamed: boolean; at: number };

async function readEmails(
  db: Db,
  calls: ReadonlyArray<Pick<PendingMark, "userId" | "deputyId">>,
): Promise<ReadonlyMap<string, string>> {
  const ids = calls.flatMap(({ userId, deputyId }) =>
    deputyId === null ? [userId] : [userId, deputyId],
  );
  return await findUserNames(db, ids);
}
