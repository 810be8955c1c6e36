import { stampChange } from "../../changes/record-change.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import { listGroupLines } from "../../store/users/group-lines-table.ts";
import { listUsersToApply } from "../../store/users/user-groups-table.ts";
import { hubActor } from "../local-admin.ts";
import { reapplyGroups } from "./apply-groups.ts";

const usersPerPortion = 50;

/**
 * Applies changed lines to the users whose groups are known, each in a transaction of its own, until none is left or `isOver`
 * says so. A process that dies in between leaves the rest to the next run. Returns the number of users.
 */
export async function applyLines(
  { db, now }: { db: Db; now: () => number },
  isOver: () => boolean = () => false,
): Promise<number> {
  const { revision } = await listGroupLines(db);
  let applied = 0;
  for (;;) {
    const users = await listUsersToApply(db, { revision, limit: usersPerPortion });
    for (const userId of users) {
      if (isOver()) return applied;
      const stamp = stampChange(hubActor, now());
      await transaction(db, (trx) => reapplyGroups(trx, userId, stamp));
      applied += 1;
    }
    if (users.length < usersPerPortion) return applied;
  }
}
