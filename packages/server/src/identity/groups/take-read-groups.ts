import type { ChangeStamp } from "../../changes/record-change.ts";
import type { Transaction } from "../../store/database/database.ts";
import { type GroupRead, listGroupReads } from "../../store/users/user-groups-table.ts";
import { findUserById, type User } from "../../store/users/users-table.ts";
import { applyGroups, recordGroupsProblem } from "./apply-groups.ts";
import type { ReadGroups } from "./read-group-claim.ts";

type TakenGroups = { userId: string; groups: ReadGroups; requiredGroup: string | null };

/**
 * Applies the groups that the single sign-on provider names for a user, or records why it names none. Providers such as
 * Keycloak leave the claim out for a user without groups: it counts as an empty list for a user who had it
 * before, takes the tags and the role admin that groups gave, and never disables the user, since a changed setting of the
 * provider looks the same. Null if the user does not exist.
 */
export async function takeReadGroups(
  trx: Transaction,
  { userId, groups, requiredGroup }: TakenGroups,
  stamp: ChangeStamp,
): Promise<User | null> {
  if (groups.names !== null) {
    const { names, leftOut } = groups;
    const isRefused = lacksGroup(names, requiredGroup);
    return await applyGroups(trx, { userId, source: "sso", names, leftOut, isRefused }, stamp);
  }
  const { problem } = groups;
  const before = await findRead(trx, userId);
  if (problem === "missing" && before?.readAt != null) {
    const isRefused = before.isRefused && requiredGroup !== null;
    return await applyGroups(trx, { userId, source: "sso", names: [], isRefused }, stamp);
  }
  await recordGroupsProblem(trx, { userId, source: "sso", problem }, stamp.changedAt);
  return await findUserById(trx, userId);
}

export function lacksGroup(names: readonly string[], requiredGroup: string | null): boolean {
  return requiredGroup !== null && !names.includes(requiredGroup);
}

/**
 * Whether the hub requires a group and the provider, which answered, does not say that the user is in it: the claim is missing,
 * or cannot be read and the group was not known before. Ask before the groups are taken.
 */
export async function isUnproven(
  trx: Transaction,
  { userId, groups, requiredGroup }: TakenGroups,
): Promise<boolean> {
  if (requiredGroup === null || groups.names !== null || groups.problem === "failed") return false;
  if (groups.problem === "missing") return true;
  return lacksGroup((await findRead(trx, userId))?.names ?? [], requiredGroup);
}

async function findRead(trx: Transaction, userId: string): Promise<GroupRead | null> {
  return (await listGroupReads(trx, userId)).find(({ source }) => source === "sso") ?? null;
}
