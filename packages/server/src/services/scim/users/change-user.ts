import { recordChange, stampChange } from "../../../changes/record-change.ts";
import { transaction } from "../../../store/database/database.ts";
import {
  forgetKeptUser,
  type ScimUserRecord,
  saveKeptUser,
} from "../../../store/scim/scim-users-table.ts";
import { applyGroupsOf } from "../groups/apply-groups.ts";
import type { ScimDeps, ScimRequester } from "../scim-deps.ts";
import { patchUser, type ReadUser, readUserBody } from "./change-attributes.ts";
import { toAttributes, toScimUser } from "./kept-attributes.ts";
import { checkChangeable, loadScimUser } from "./load-user.ts";
import { saveUser } from "./save-user.ts";
import type { ScimUser } from "./scim-user.ts";
import { setActive } from "./set-active.ts";

type Changed = { user: ScimUserRecord; ignored: string[] };

/** Replaces all attributes of a user. Without `active`, that stays. */
export async function replaceUser(
  deps: ScimDeps,
  requester: ScimRequester,
  id: string,
  body: unknown,
): Promise<Changed> {
  const read = readUserBody(body);
  return await changeUser(deps, requester, id, () => read);
}

/** Applies the operations of a PATCH, all or none. */
export async function modifyUser(
  deps: ScimDeps,
  requester: ScimRequester,
  id: string,
  body: unknown,
): Promise<Changed> {
  return await changeUser(deps, requester, id, (before) => {
    const { user, ignored } = patchUser({ ...before, active: null }, body);
    return { user, ignored };
  });
}

async function changeUser(
  { store, config: { oidcIssuer: issuer }, now }: ScimDeps,
  requester: ScimRequester,
  id: string,
  toNext: (before: ScimUser) => ReadUser,
): Promise<Changed> {
  const stamp = stampChange(requester.actor, now());
  const groupsStamp = stampChange(requester.actor, stamp.changedAt);
  return await transaction(store.db, async (trx) => {
    const user = await loadScimUser(trx, requester.client, id);
    const { user: wanted, ignored } = toNext(toScimUser(user));
    return {
      user: await saveUser(trx, { requester, issuer, stamp, groupsStamp, user, wanted }),
      ignored,
    };
  });
}

/**
 * Disables the user, who no longer exists for the client. The user and the records stay, and the same client may create the user
 * again.
 */
export async function deleteUser(
  { store, now }: ScimDeps,
  { client, actor }: ScimRequester,
  id: string,
): Promise<void> {
  const stamp = stampChange(actor, now());
  const { changedAt: at } = stamp;
  const groupsStamp = stampChange(actor, at);
  await transaction(store.db, async (trx) => {
    const user = await loadScimUser(trx, client, id);
    checkChangeable(user);
    if (user.kept === null) {
      const attributes = toAttributes(toScimUser(user));
      const kept = { userName: null, externalId: null, attributes };
      await saveKeptUser(trx, { userId: user.id, clientId: client.id, ...kept, at });
    }
    await setActive(trx, user, false, at);
    await forgetKeptUser(trx, user.id, at);
    await applyGroupsOf(trx, { userId: user.id, client }, groupsStamp);
    await recordChange(trx, stamp, {
      action: "user.disable",
      kind: "user",
      id: user.id,
      name: user.email,
      detail: { scim_client: client.name, deleted: true },
    });
  });
}
