import { stampChange } from "../../changes/record-change.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
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
  let applied = 0;
  for (;;) {
    // Once a portion: the lines can be many, and each is split once.
    const known = await listGroupLines(db);
    const { revision } = known;
    const users = await listUsersToApply(db, { revision, limit: usersPerPortion });
    for (const userId of users) {
      if (isOver()) return applied;
      const stamp = stampChange(hubActor, now());
      await transaction(db, (trx) => reapplyGroups(trx, userId, stamp, known));
      applied += 1;
      // Lets calls run in between: the groups of one user alone can take some milliseconds.
      await yieldToEventLoop();
    }
    if (users.length < usersPerPortion) return applied;
  }
}
