import type { UserGroups } from "@hub/contract/group.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { toGrant } from "../../identity/groups/apply-groups.ts";
import { decideAccess } from "../../identity/groups/decide-access.ts";
import { listGroupLines } from "../../store/users/group-lines-table.ts";
import { findPreparedIssuer } from "../../store/users/prepared-users-table.ts";
import { findProviderSession } from "../../store/users/provider-sessions-table.ts";
import { listGroupReads } from "../../store/users/user-groups-table.ts";
import { findUserOrigins } from "../../store/users/user-origins.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadUser } from "../users/load-user.ts";

/** Where the tags, the role and the state of a user come from. Throws `not_found`. */
export async function showUserGroups(
  { store: { db } }: Pick<ServiceDeps, "store">,
  userId: string,
): Promise<UserGroups> {
  const user = await loadUser(db, userId);
  const { id } = user;
  const origins = await findUserOrigins(db, id);
  const { lines } = await listGroupLines(db);
  const reads = await listGroupReads(db, id);
  const { role, untagged } = toGrant(lines, reads);
  const byGroups = reads.length === 0 ? null : role;
  const present = {
    role: user.role,
    status: user.status,
    handRole: origins?.handRole ?? null,
    disabledBy: origins?.disabledBy ?? null,
  };
  const next = decideAccess(present, byGroups, false);
  return {
    role_by_hand: present.handRole ?? user.role,
    role_by_groups: byGroups,
    disabled_by: present.disabledBy,
    keeps_last_admin:
      user.role === "admin" &&
      user.status === "active" &&
      (next.role !== "admin" || next.status !== "active"),
    tags_by_hand: origins?.handTags ?? [],
    tags_by_groups: origins?.groupTags ?? [],
    untagged,
    prepared_for: await findPreparedIssuer(db, id),
    sources: reads.map((read) => ({
      source: read.source,
      groups: read.names,
      read_at: toTime(read.readAt),
      problem: read.problem,
      problem_at: toTime(read.problemAt),
      left_out: read.leftOut,
      lacks_required: read.isRefused,
    })),
    provider: await showProvider(db, id),
  };
}

async function showProvider(
  db: ServiceDeps["store"]["db"],
  userId: string,
): Promise<UserGroups["provider"]> {
  const session = await findProviderSession(db, userId);
  if (session === null) return null;
  return {
    confirmed_at: toTimeText(session.readAt),
    is_followed: session.sealed !== null,
    failed_since: toTime(session.failedSince),
    ended_at: toTime(session.endedAt),
    reason: session.failure,
  };
}

function toTime(at: number | null): string | null {
  return at === null ? null : toTimeText(at);
}
