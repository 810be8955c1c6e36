import { type ChangeStamp, recordChange } from "../../../changes/record-change.ts";
import { HubError } from "../../../errors.ts";
import { reapplyGroups, releaseKeptAdmins } from "../../../identity/groups/apply-groups.ts";
import type { Transaction } from "../../../store/database/database.ts";
import {
  findKeptUserId,
  findScimUserByEmail,
  findScimUserById,
  type ScimUserRecord,
  saveKeptUser,
} from "../../../store/scim/scim-users-table.ts";
import { setUserEmail, updateUser } from "../../../store/users/users-table.ts";
import { isNamedApprover } from "../../../store/workflows/named-approvers.ts";
import type { ScimRequester } from "../scim-deps.ts";
import { toScimError } from "../syntax/scim-fault.ts";
import { toHubEmail, toHubName } from "./hub-names.ts";
import { toAttributes } from "./kept-attributes.ts";
import { checkChangeable } from "./load-user.ts";
import { mayMoveEmail } from "./may-move-email.ts";
import type { ScimUser } from "./scim-user.ts";
import { setActive } from "./set-active.ts";

type Save = {
  requester: ScimRequester;
  /** The hub's issuer of single sign-on. */
  issuer: string | null;
  stamp: ChangeStamp;
  /** For what groups change with it. */
  groupsStamp: ChangeStamp;
  user: ScimUserRecord;
  /** The user as it is to be. Without `active`, that stays. */
  wanted: ScimUser;
};

/**
 * Stores what a client sent of a user, and changes the user of the hub with it. A user that no client kept is the client's from
 * then on. What is the same is neither stored nor recorded: providers send everything again and again.
 */
export async function saveUser(
  trx: Transaction,
  { requester: { client }, issuer, stamp, groupsStamp, user, wanted }: Save,
): Promise<ScimUserRecord> {
  checkChangeable(user);
  const { userName } = wanted;
  if (userName === null) throw toScimError("invalidValue", "A user needs a userName.");
  const { changedAt: at } = stamp;
  const { id } = user;
  const isNew = user.kept === null || user.kept.userName === null;
  const kept = { userName, externalId: wanted.externalId, attributes: toAttributes(wanted) };
  const isKeptSame =
    !isNew &&
    user.kept?.userName === kept.userName &&
    user.kept.externalId === kept.externalId &&
    user.kept.attributes === kept.attributes;
  const detail: Record<string, unknown> = isNew ? { taken_over: true } : {};
  if (!isKeptSame) {
    await checkFree(trx, client.id, id, kept);
    const email = toHubEmail(wanted);
    if (email !== user.email) {
      await moveEmail(trx, user, { email, issuer, at });
      detail.email = { from: user.email, to: email };
    }
    const name = toHubName(wanted, email);
    if (name !== user.name) {
      await updateUser(trx, id, { name }, at);
      detail.name = { from: user.name, to: name };
    }
    await saveKeptUser(trx, { userId: id, clientId: client.id, ...kept, at });
    if (user.kept !== null && user.kept.userName !== kept.userName) {
      detail.user_name = { from: user.kept.userName, to: kept.userName };
    }
  }
  const changed = wanted.active === null ? null : await setActive(trx, user, wanted.active, at);
  // Groups may give no access. They decide in the same transaction.
  if (changed === "enabled") {
    await reapplyGroups(trx, id, groupsStamp);
    await releaseKeptAdmins(trx, id, groupsStamp);
  }
  if (changed !== null || !isKeptSame) {
    const action =
      changed === null ? "user.update" : changed === "enabled" ? "user.enable" : "user.disable";
    await recordChange(trx, stamp, {
      action,
      kind: "user",
      id,
      name: user.email,
      detail: { scim_client: client.name, ...detail },
    });
  }
  const saved = await findScimUserById(trx, id);
  if (saved === null) throw new Error("A user is gone in its own transaction");
  return saved;
}

async function checkFree(
  trx: Transaction,
  clientId: string,
  id: string,
  { userName, externalId }: { userName: string; externalId: string | null },
): Promise<void> {
  const named = await findKeptUserId(trx, clientId, { userName });
  if (named !== null && named !== id) {
    throw toScimError("uniqueness", "There is another user with this userName.");
  }
  if (externalId === null) return;
  const known = await findKeptUserId(trx, clientId, { externalId });
  if (known !== null && known !== id) {
    throw toScimError("uniqueness", "There is another user with this externalId.");
  }
}

/** Changes the e-mail. An identity of single sign-on stays where it is. */
async function moveEmail(
  trx: Transaction,
  user: ScimUserRecord,
  { email, issuer, at }: { email: string; issuer: string | null; at: number },
): Promise<void> {
  if ((await findScimUserByEmail(trx, email)) !== null) {
    throw toScimError("uniqueness", "Another user of the hub has this e-mail.");
  }
  if (!(await mayMoveEmail(trx, user, issuer))) {
    throw new HubError(
      "forbidden",
      "SCIM does not change the e-mail of an admin, nor, until the first sign-in by the hub's present provider, that of a user whom SCIM did not make or who has more than groups give.",
    );
  }
  if (await isNamedApprover(trx, email)) {
    throw new HubError(
      "forbidden",
      "A workflow names this e-mail as an approver, so SCIM gives it to no user. Take it out of the workflow first.",
    );
  }
  await setUserEmail(trx, user.id, email, at);
}
