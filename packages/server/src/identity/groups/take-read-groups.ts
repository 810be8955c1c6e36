import type { ChangeStamp } from "../../changes/record-change.ts";
import type { Transaction } from "../../store/database/database.ts";
import { listGroupReads } from "../../store/users/user-groups-table.ts";
import { findUserById, type User } from "../../store/users/users-table.ts";
import { applyGroups, noteGroupsProblem } from "./apply-groups.ts";
import type { ReadGroups } from "./read-group-claim.ts";

/**
 * Applies the groups that the single sign-on provider names for a user, or records why it names none. Providers such as
 * Keycloak leave the claim out for a user without groups: it counts as an empty list for a user for whom it was sent
 * before. Null if the user does not exist.
 */
export async function takeReadGroups(
  trx: Transaction,
  {
    userId,
    groups,
    requiredGroup,
  }: { userId: string; groups: ReadGroups; requiredGroup: string | null },
  stamp: ChangeStamp,
): Promise<User | null> {
  const read = await settle(trx, userId, groups);
  if (read.names !== null) {
    const { names, leftOut } = read;
    const isRefused = lacksGroup(names, requiredGroup);
    return await applyGroups(trx, { userId, source: "sso", names, leftOut, isRefused }, stamp);
  }
  const { problem } = read;
  await noteGroupsProblem(trx, { userId, source: "sso", problem }, stamp.changedAt);
  return await findUserById(trx, userId);
}

export function lacksGroup(names: readonly string[], requiredGroup: string | null): boolean {
  return requiredGroup !== null && !names.includes(requiredGroup);
}

async function settle(trx: Transaction, userId: string, groups: ReadGroups): Promise<ReadGroups> {
  if (groups.names !== null || groups.problem !== "missing") return groups;
  const reads = await listGroupReads(trx, userId);
  const before = reads.find(({ source }) => source === "sso");
  return before?.readAt == null ? groups : { names: [], leftOut: 0 };
}
