import type { Transaction } from "../../../store/database/database.ts";
import { transaction } from "../../../store/database/database.ts";
import {
  clearGroupsDue,
  listGroupNames,
  listGroupsDue,
} from "../../../store/scim/scim-members-table.ts";
import type { ScimDeps } from "../scim-deps.ts";
import { applyGroups } from "./groups-port.ts";

/** Users of one transaction. */
const usersAtOnce = 20;

/** Gives a user the tags and the role of the groups that the client keeps. */
export async function applyGroupsOf(
  trx: Transaction,
  { userId, clientId }: { userId: string; clientId: string },
  at: number,
): Promise<void> {
  const names = await listGroupNames(trx, userId);
  await applyGroups(trx, { userId, source: `scim:${clientId}`, names, at });
  await clearGroupsDue(trx, userId);
}

/**
 * Does so for users whose groups have changed, some in each transaction: a group can have as many members as the company has
 * people. What is left when a process dies is due until the job does it.
 */
export async function applyDueGroups(
  { store, now }: ScimDeps,
  { userIds, isOver = () => false }: { userIds?: readonly string[]; isOver?: () => boolean } = {},
): Promise<void> {
  if (userIds === undefined) {
    while (!isOver() && (await applySome({ store, now }, undefined)) > 0);
    return;
  }
  for (let at = 0; at < userIds.length && !isOver(); at += usersAtOnce) {
    await applySome({ store, now }, userIds.slice(at, at + usersAtOnce));
  }
}

/** How many were due. */
async function applySome(
  { store, now }: ScimDeps,
  userIds: readonly string[] | undefined,
): Promise<number> {
  const at = now();
  const count = await transaction(store.db, async (trx) => {
    const due = await listGroupsDue(trx, {
      limit: usersAtOnce,
      ...(userIds !== undefined && { userIds }),
    });
    for (const one of due) await applyGroupsOf(trx, one, at);
    return due.length;
  });
  // Lets calls run between two portions.
  await Bun.sleep(0);
  return count;
}
