import type { ReviewFilter } from "@hub/contract/review-filters.ts";
import type { ReviewedOperation, RowDiscovery } from "@hub/contract/row-discovery.ts";
import type { Actor } from "../../../changes/actor.ts";
import { findReview } from "../../../connectors/by-row/row-operation.ts";
import { HubError } from "../../../errors.ts";
import { yieldToEventLoop } from "../../../lib/time/yield-to-event-loop.ts";
import {
  listRowOperations,
  type StoredOperation,
} from "../../../store/rows/row-operations-table.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { setOperationStates } from "../../../store/rows/switches.ts";
import { checkMarksRuleOperations } from "../../rules/check-rule-rights.ts";
import { loadRow } from "../load-row.ts";
import {
  type ChangeDeps,
  changeOperations,
  checkStamp,
  namedMax,
  toReadsChange,
  withMark,
} from "./change-operations.ts";
import { findWarnings } from "./find-warnings.ts";
import { isHidden } from "./is-hidden.ts";
import { isWaiting, readDiscovery, toDigest, toPresent, toReviewed } from "./present-review.ts";

export type RowReview = RowDiscovery & {
  reviewed: ReviewedOperation[];
  next_offset: number | null;
  counts: Record<ReviewFilter | "hidden", number>;
};

type ReviewQuery = {
  offset?: number | undefined;
  limit?: number | undefined;
  filter?: ReviewFilter | undefined;
  /** Only the operation with this key. */
  key?: string | undefined;
  /** Leaves out the hidden operations, as each filter does. */
  withoutHidden?: boolean | undefined;
};

/** Of schemas at their limits, this many take a few milliseconds. */
const examinedPerTurn = 20;

/** The operations that an admin has not reviewed, and those that are gone. */
export async function showReview(
  { store }: Pick<ChangeDeps, "store">,
  rowId: string,
  { offset = 0, limit = 50, filter, key, withoutHidden = false }: ReviewQuery = {},
): Promise<RowReview> {
  const row = await loadRow(store.db, rowId);
  const stored = await listRowOperations(store.db, row.id);
  const notHidden = stored.filter((one) => !isHidden(row, one));
  const kinds = await sortByKind(notHidden);
  const waiting = (withoutHidden ? notHidden : stored).filter((one) => findReview(one) !== null);
  const ofKind = filter === undefined ? waiting : kinds[filter];
  const shown = key === undefined ? ofKind : ofKind.filter((one) => one.key === key);
  const end = offset + limit;
  return {
    ...(await readDiscovery(store.db, row, stored)),
    reviewed: shown.slice(offset, end).flatMap((one) => toReviewed(row.id, one) ?? []),
    next_offset: end < shown.length ? end : null,
    counts: {
      new: kinds.new.length,
      changed: kinds.changed.length,
      invalid: kinds.invalid.length,
      gone: kinds.gone.length,
      warnings: kinds.warnings.length,
      hidden: stored.length - notHidden.length,
    },
  };
}

/** What is gone or invalid has no warnings to count: it cannot be approved. */
async function sortByKind(
  stored: readonly StoredOperation[],
): Promise<Record<ReviewFilter, StoredOperation[]>> {
  const kinds: Record<ReviewFilter, StoredOperation[]> = {
    new: [],
    changed: [],
    invalid: [],
    gone: [],
    warnings: [],
  };
  let examined = 0;
  for (const one of stored) {
    const review = findReview(one);
    if (review === null) continue;
    kinds[review].push(one);
    if (review === "gone" || review === "invalid") continue;
    if (findWarnings(toPresent(one)).length > 0) kinds.warnings.push(one);
    examined += 1;
    if (examined % examinedPerTurn === 0) await yieldToEventLoop();
  }
  return kinds;
}

/** An operation, the digest of the definition that was shown, and the mark that it gets. */
export type Approval = {
  key: string;
  digest: string;
  /** Marks it as an operation that only reads. */
  reads?: boolean | undefined;
};

/**
 * Approves operations as they were shown; then they can be called. Throws `conflict` if one has
 * changed since.
 */
export function approveOperations(
  deps: ChangeDeps,
  actor: Actor,
  rowId: string,
  { operations }: { operations: readonly Approval[] },
): Promise<RowDiscovery> {
  const digests = new Map(operations.map(({ key, digest }) => [key, digest]));
  const reads = new Set(operations.filter((one) => one.reads).map(({ key }) => key));
  return approve(deps, actor, rowId, (row, stored) => {
    const known = new Map(stored.map((one) => [one.key, one]));
    for (const [key, digest] of digests) {
      const operation = known.get(key);
      if (operation === undefined || operation.goneAt !== null) {
        throw new HubError("not_found", `"${row.label}" offers no operation "${key}".`);
      }
      if (findReview(operation) === "invalid") {
        throw new HubError(
          "conflict",
          `The operation "${key}" cannot be approved: the outside system describes it in a way that the hub cannot use.`,
        );
      }
      if (toDigest(toPresent(operation)) === digest) continue;
      throw new HubError(
        "conflict",
        `The operation "${key}" has changed since it was shown. Look at it again.`,
      );
    }
    return { chosen: new Set(digests.keys()), reads };
  });
}

/**
 * Approves all operations that wait, but the hidden ones. With `only: "reads"`, those that `approveReads` approves.
 * `stamp` is that of the discovery that was shown. Throws `conflict` if there was another one since.
 */
export function approveAllOperations(
  deps: ChangeDeps,
  actor: Actor,
  rowId: string,
  { stamp, only }: { stamp: string; only?: "reads" | undefined },
): Promise<RowDiscovery> {
  return approve(deps, actor, rowId, async (row, stored) => {
    checkStamp(row.operationsId, stamp);
    return await chooseWaiting(row, stored, only);
  });
}

/**
 * The same with `only: "reads"`, as they are now: for admins who have not looked at them. Those whose texts have warnings are
 * left, and the hidden ones.
 */
export function approveReads(deps: ChangeDeps, actor: Actor, rowId: string): Promise<RowDiscovery> {
  return approve(deps, actor, rowId, (row, stored) => chooseWaiting(row, stored, "reads"));
}

/** An operation that the outside system does not describe as reading counts as destructive. */
async function chooseWaiting(
  row: RowRecord,
  stored: readonly StoredOperation[],
  only: "reads" | undefined,
): Promise<Chosen> {
  const chosen = new Set<string>();
  for (const [at, one] of stored.entries()) {
    if (at % examinedPerTurn === examinedPerTurn - 1) await yieldToEventLoop();
    if (!isWaiting(one) || isHidden(row, one)) continue;
    const present = toPresent(one);
    const isLeft = only === "reads" && (present.destructive || findWarnings(present).length > 0);
    if (!isLeft) chosen.add(one.key);
  }
  return { chosen, reads: new Set() };
}

type Chosen = { chosen: ReadonlySet<string>; reads: ReadonlySet<string> };

async function approve(
  deps: ChangeDeps,
  actor: Actor,
  rowId: string,
  choose: (row: RowRecord, stored: readonly StoredOperation[]) => Chosen | Promise<Chosen>,
): Promise<RowDiscovery> {
  return await changeOperations(deps, actor, rowId, async ({ trx, row, stored, at, save }) => {
    const { chosen, reads } = await choose(row, stored);
    const approved = stored
      .filter((one) => chosen.has(one.key) && isWaiting(one))
      .map(({ key }) => key);
    // Another admin may have approved one since it was shown: it is the same, so the mark is for it.
    const marked = stored
      .filter((one) => reads.has(one.key) && one.reads !== true)
      .map(({ key }) => key);
    if (approved.length + marked.length === 0) return await readDiscovery(trx, row, stored);
    const isHarmless = (one: StoredOperation) => isWaiting(one) && !toPresent(one).destructive;
    if (marked.length > 0 || stored.some((one) => chosen.has(one.key) && isHarmless(one))) {
      await checkMarksRuleOperations(trx, actor, row.id);
    }
    const operations = stored.map((one): StoredOperation => {
      if (!chosen.has(one.key)) return one;
      if (!isWaiting(one)) return reads.has(one.key) ? withMark(one, true) : one;
      const approval = { definition: toPresent(one), approvedAt: at, pending: null };
      return withMark({ ...one, ...approval }, reads.has(one.key));
    });
    const shown = stored.filter((one) => chosen.has(one.key) && isHidden(row, one));
    if (shown.length > 0) {
      const keys = shown.map(({ key }) => key);
      await setOperationStates(trx, row.id, keys, true, at);
    }
    const change = approved.length > 0 ? toApproval(approved, marked) : toReadsChange(true, marked);
    return await readDiscovery(trx, await save(operations, change), operations);
  });
}

function toApproval(approved: readonly string[], marked: readonly string[]) {
  const detail = { operations: approved.slice(0, namedMax), count: approved.length };
  const also = marked.length > 0 && { reads: marked.slice(0, namedMax) };
  return { action: "row.approve", detail: { ...detail, ...also } } as const;
}
