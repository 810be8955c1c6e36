import { HubError } from "../../../errors.ts";
import type { Transaction } from "../../../store/database/database.ts";
import type { ScimUserRecord } from "../../../store/scim/scim-users-table.ts";
import { hasOtherActiveAdmin } from "../../../store/users/active-users.ts";
import { endUserAccess } from "../../../store/users/end-user-access.ts";
import { updateUser } from "../../../store/users/users-table.ts";
import { isActiveForProvider } from "./kept-attributes.ts";

export type ActiveChange = "enabled" | "disabled" | null;

/**
 * Disables a user with all that is open, or enables one that SCIM disabled or that waits for approval. Who was disabled by hand
 * stays so. Throws `forbidden`, and `conflict` for the last active admin.
 */
export async function setActive(
  trx: Transaction,
  user: ScimUserRecord,
  isActive: boolean,
  at: number,
): Promise<ActiveChange> {
  if (isActive) return isActiveForProvider(user) ? null : await enable(trx, user, at);
  const isDisabled = user.status === "disabled" && user.disabledBy !== "groups";
  return isDisabled ? null : await disable(trx, user, at);
}

async function enable(
  trx: Transaction,
  { id, status, disabledBy }: ScimUserRecord,
  at: number,
): Promise<ActiveChange> {
  if (status === "disabled" && disabledBy !== "scim") {
    throw new HubError(
      "forbidden",
      "An admin of the hub disabled this user. Only an admin there can enable the user.",
    );
  }
  await updateUser(trx, id, { status: "active" }, at);
  return "enabled";
}

async function disable(trx: Transaction, user: ScimUserRecord, at: number): Promise<ActiveChange> {
  const { id, role, status } = user;
  if (role === "admin" && status === "active" && !(await hasOtherActiveAdmin(trx, id))) {
    throw new HubError(
      "conflict",
      "This is the last active admin of the hub. Give another user the role admin first.",
    );
  }
  await updateUser(trx, id, { status: "disabled", disabledBy: "scim" }, at);
  await endUserAccess(trx, id, at);
  return "disabled";
}
