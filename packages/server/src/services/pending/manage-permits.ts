import type { CallPermit } from "@hub/contract/pending-call.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { HubError } from "../../errors.ts";
import { deletedUser, findUserNames } from "../../identity/find-user-names.ts";
import { type Page, type PageInput, readPage } from "../../lib/input/page.ts";
import { transaction } from "../../store/database/database.ts";
import {
  endPermit as endStored,
  findPermit,
  listPermitPage,
} from "../../store/pending/permits-table.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import type { ReadPendingDeps } from "./list-pending-calls.ts";

/**
 * One page of the permissions that are in force: those of the caller's own calls, or for admins those of a user or of all.
 */
export async function listPermits(
  { store: { db }, now }: ReadPendingDeps,
  caller: Caller,
  { userId, ...page }: PageInput & { userId?: string | undefined } = {},
): Promise<Page<CallPermit>> {
  const userIds = toUserIds(caller, userId);
  const at = now();
  const { items, next } = await readPage(page, {
    keyType: "string",
    read: (after, limit) =>
      listPermitPage(db, {
        at,
        limit,
        ...(userIds !== null && { userIds }),
        ...(after !== undefined && { after: after.id }),
      }),
    toCursor: ({ id }) => ({ key: "", id }),
  });
  const names = await findUserNames(
    db,
    items.map((permit) => permit.userId),
  );
  const rows = await listRows(db, { ids: [...new Set(items.map(({ rowId }) => rowId))] });
  // A user sees no name of a row that was hidden since.
  const labels = new Map(
    rows.filter((row) => isVisible(caller, row)).map(({ id, label }) => [id, label]),
  );
  return {
    items: items.map((permit) => ({
      id: permit.id,
      user: names.get(permit.userId) ?? deletedUser,
      made_by: permit.principalName,
      row_label: labels.get(permit.rowId) ?? null,
      operation: permit.operationKey,
      fixed: Object.keys(permit.fixed),
      created_at: toTimeText(permit.createdAt),
      expires_at: toTimeText(permit.expiresAt),
      granted_by: permit.grantedByEmail,
      call_id: permit.callId,
    })),
    next,
  };
}

/** Null for those of all users. */
function toUserIds({ userId: ownId, role }: Caller, userId: string | undefined): string[] | null {
  if (role === "admin") return userId === undefined ? null : [userId];
  if (userId !== undefined && userId !== ownId) throw refuseOthers();
  return [ownId];
}

function refuseOthers(): HubError {
  return new HubError("forbidden", "Only admins see the permissions of other users.");
}

/** Ends a permission: the next call is asked about. For the user whose calls it permits, who granted it, and admins. */
export async function endPermit(
  { store, now }: ReadPendingDeps,
  { caller, actor }: { caller: Caller; actor: Actor },
  id: string,
): Promise<{ id: string }> {
  const at = now();
  const stamp = stampChange(actor, at);
  await transaction(store.db, async (trx) => {
    const permit = await findPermit(trx, id);
    const isTheirs =
      permit !== null &&
      (caller.role === "admin" || [permit.userId, permit.grantedBy].includes(caller.userId));
    if (!isTheirs || !(await endStored(trx, { id, at }))) {
      throw new HubError("not_found", "There is no such permission, or it has ended.");
    }
    await recordChange(trx, stamp, {
      action: "permit.end",
      kind: "call",
      id: permit.callId,
      name: permit.operationKey,
      detail: { permit: id, user: permit.userId, row: permit.rowId },
    });
  });
  return { id };
}
