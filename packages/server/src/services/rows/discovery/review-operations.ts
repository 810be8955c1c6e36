import type { ReviewedOperation, RowDiscovery } from "@hub/contract/row-discovery.ts";
import type { Actor } from "../../../changes/actor.ts";
import { recordChange, stampChange } from "../../../changes/record-change.ts";
import { HubError } from "../../../errors.ts";
import { transaction } from "../../../store/database.ts";
import {
  listRowOperations,
  replaceRowOperations,
  type StoredOperation,
} from "../../../store/row-operations.ts";
import type { RowRecord } from "../../../store/row-record.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadRow } from "../load-row.ts";
import { isWaiting, readDiscovery, toDigest, toPresent, toReviewed } from "./present-review.ts";

type ReviewDeps = Pick<ServiceDeps, "store" | "now">;

export type RowReview = RowDiscovery & {
  reviewed: ReviewedOperation[];
  next_offset: number | null;
};

/** The operations that an admin has not reviewed, and those that are gone. */
export async function showReview(
  { store }: Pick<ReviewDeps, "store">,
  rowId: string,
  { offset = 0, limit = 50 }: { offset?: number | undefined; limit?: number | undefined } = {},
): Promise<RowReview> {
  const row = await loadRow(store.db, rowId);
  const stored = await listRowOperations(store.db, row.id);
  const waiting = stored.filter((one) => isWaiting(one) || one.goneAt !== null);
  const end = offset + limit;
  return {
    ...(await readDiscovery(store.db, row, stored)),
    reviewed: waiting.slice(offset, end).flatMap((one) => toReviewed(row.id, one) ?? []),
    next_offset: end < waiting.length ? end : null,
  };
}

/** An operation, and the digest of the definition that was shown. */
export type Approval = { key: string; digest: string };

/**
 * Approves operations as they were shown; then they can be called. Throws `conflict` if one has
 * changed since.
 */
export function approveOperations(
  deps: ReviewDeps,
  actor: Actor,
  rowId: string,
  { operations }: { operations: readonly Approval[] },
): Promise<RowDiscovery> {
  const digests = new Map(operations.map(({ key, digest }) => [key, digest]));
  return approve(deps, actor, rowId, (row, stored) => {
    const known = new Map(stored.map((one) => [one.key, one]));
    for (const [key, digest] of digests) {
      const operation = known.get(key);
      if (operation === undefined || operation.goneAt !== null) {
        throw new HubError("not_found", `"${row.label}" offers no operation "${key}".`);
      }
      if (toDigest(toPresent(operation)) === digest) continue;
      throw new HubError(
        "conflict",
        `The operation "${key}" has changed since it was shown. Look at it again.`,
      );
    }
    return new Set(digests.keys());
  });
}

/**
 * Approves all operations that wait. `stamp` is that of the discovery that was shown. Throws
 * `conflict` if there was another one since.
 */
export function approveAllOperations(
  deps: ReviewDeps,
  actor: Actor,
  rowId: string,
  { stamp }: { stamp: string },
): Promise<RowDiscovery> {
  return approve(deps, actor, rowId, (row, stored) => {
    if (row.operationsId !== stamp) {
      throw new HubError(
        "conflict",
        "The operations of the row have changed since they were shown. Look at them again.",
      );
    }
    return new Set(stored.filter(isWaiting).map(({ key }) => key));
  });
}

async function approve(
  { store, now }: ReviewDeps,
  actor: Actor,
  rowId: string,
  choose: (row: RowRecord, stored: readonly StoredOperation[]) => ReadonlySet<string>,
): Promise<RowDiscovery> {
  const at = now();
  const stamp = stampChange(actor, at);
  const operationsId = crypto.randomUUID();
  return await transaction(store.db, async (trx) => {
    const row = await loadRow(trx, rowId);
    const stored = await listRowOperations(trx, row.id);
    const chosen = choose(row, stored);
    const approved = [...chosen].filter((key) =>
      stored.some((one) => one.key === key && isWaiting(one)),
    );
    if (approved.length === 0) return await readDiscovery(trx, row, stored);
    const operations = stored.map((one) =>
      chosen.has(one.key) && isWaiting(one)
        ? { ...one, definition: toPresent(one), approvedAt: at, pending: null }
        : one,
    );
    await replaceRowOperations(trx, row.id, { operationsId, operations }, at);
    await recordChange(trx, stamp, {
      action: "row.approve",
      kind: "row",
      id: row.id,
      name: row.label,
      detail: { operations: approved.slice(0, 100), count: approved.length },
    });
    return await readDiscovery(trx, { id: row.id, operationsId }, operations);
  });
}
