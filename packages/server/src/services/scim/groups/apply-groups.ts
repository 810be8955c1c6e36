import type { ChangeStamp } from "../../../changes/record-change.ts";
import { applyGroups } from "../../../identity/groups/apply-groups.ts";
import type { Transaction } from "../../../store/database/database.ts";
import { transaction } from "../../../store/database/database.ts";
import {
  clearGroupsDue,
  listGroupNames,
  listGroupsDue,
} from "../../../store/scim/scim-members-table.ts";
import { type ScimGroupDeps, type ScimRequester, toScimActor } from "../scim-deps.ts";

/** Users of one transaction, which takes the event loop for some milliseconds. */
const usersAtOnce = 5;

type Member = { userId: string; client: Pick<ScimRequester["client"], "id"> };

/** Gives a user the tags and the role of the groups that the client keeps. */
export async function applyGroupsOf(
  trx: Transaction,
  { userId, client }: Member,
  stamp: ChangeStamp,
): Promise<void> {
  const names = await listGroupNames(trx, userId);
  await applyGroups(trx, { userId, source: `scim:${client.id}`, names }, stamp);
  await clearGroupsDue(trx, userId);
}

/** Does so for users whose groups a request has changed, before it is answered. */
export async function applyChangedGroups(
  deps: ScimGroupDeps,
  userIds: readonly string[],
): Promise<void> {
  for (let at = 0; at < userIds.length; at += usersAtOnce) {
    await applySome(deps, { userIds: userIds.slice(at, at + usersAtOnce) });
  }
}

/** Does so for all whose groups are due: the server may have died after it stored the members. */
export async function applyDueGroups(deps: ScimGroupDeps, isOver: () => boolean): Promise<void> {
  while (!isOver() && (await applySome(deps, {})) > 0);
}

/**
 * Some users in each transaction: a group can have as many members as the company has people. Each user is one with the groups
 * that are stored then, so it does not matter who does it first. Returns how many were due.
 */
async function applySome(
  { store, now }: ScimGroupDeps,
  some: { userIds?: readonly string[] },
): Promise<number> {
  const at = now();
  const ids = Array.from({ length: usersAtOnce }, () => Bun.randomUUIDv7());
  const count = await transaction(store.db, async (trx) => {
    const due = await listGroupsDue(trx, { ...some, limit: usersAtOnce });
    for (const [index, id] of ids.entries()) {
      const member = due[index];
      if (member === undefined) break;
      const actor = toScimActor(member.client, null);
      await applyGroupsOf(trx, member, { id, changedAt: at, actor });
    }
    return due.length;
  });
  // Lets calls run between two portions.
  await Bun.sleep(0);
  return count;
}
