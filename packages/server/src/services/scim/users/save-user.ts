import { type ChangeStamp, recordChange } from "../../../changes/record-change.ts";
import { HubError } from "../../../errors.ts";
import { reapplyGroups, releaseKeptAdmins } from "../../../identity/groups/apply-groups.ts";
import type { Transaction } from "../../../store/database/database.ts";
import {
  findKeptUserId,
  findScimUserByEmail,
  findScimUserById,
  hasIdentityOf,
  type ScimUserRecord,
  saveKeptUser,
} from "../../../store/scim/scim-users-table.ts";
import { findUserOrigins } from "../../../store/users/user-origins.ts";
import { setUserEmail, updateUser } from "../../../store/users/users-table.ts";
import type { ScimRequester } from "../scim-deps.ts";
import { toScimError } from "../syntax/scim-fault.ts";
import { toHubEmail, toHubName } from "./hub-names.ts";
import { toAttributes } from "./kept-attributes.ts";
import { checkChangeable } from "./load-user.ts";
import type { ScimUser } from "./scim-user.ts";
import { setActive } from "./set-active.ts";

type Save = {
  requester: ScimRequester;
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
  { requester: { client }, stamp, groupsStamp, user, wanted }: Save,
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
      await moveEmail(trx, user, email, at);
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

/**
 * Changes the e-mail. It decides who becomes this user at a first sign-in, so it stays for admins, and for a user with rights given by
 * hand who never signed in: otherwise a stolen token would pass these on. An identity of single sign-on stays where it is.
 */
async function moveEmail(
  trx: Transaction,
  { id, role }: ScimUserRecord,
  email: string,
  at: number,
): Promise<void> {
  if ((await findScimUserByEmail(trx, email)) !== null) {
    throw toScimError("uniqueness", "Another user of the hub has this e-mail.");
  }
  const hasSignedIn = await hasIdentityOf(trx, { userId: id });
  const handTags = (await findUserOrigins(trx, id))?.handTags ?? [];
  if (role === "admin" || (!hasSignedIn && handTags.length > 0)) {
    throw new HubError(
      "forbidden",
      "SCIM does not change the e-mail of an admin, or of a user with rights that were given by hand before the first sign-in.",
    );
  }
  await setUserEmail(trx, id, email, at);
}
