import { recordChange, stampChange } from "../../../changes/record-change.ts";
import { type Transaction, transaction } from "../../../store/database/database.ts";
import {
  countKeptUsers,
  findKeptUserId,
  findScimUserByEmail,
  findScimUserById,
  type ScimUserRecord,
  saveKeptUser,
} from "../../../store/scim/scim-users-table.ts";
import { insertUser, updateUser } from "../../../store/users/users-table.ts";
import type { ScimDeps, ScimRequester } from "../scim-deps.ts";
import { toScimError } from "../syntax/scim-fault.ts";
import { readUserBody } from "./change-attributes.ts";
import { toEmail, toHubEmail, toHubName } from "./hub-names.ts";
import { toAttributes } from "./kept-attributes.ts";
import { mayTakeOver } from "./load-user.ts";
import { saveUser } from "./save-user.ts";
import type { ScimUser } from "./scim-user.ts";

/** Of one client: a stolen token cannot fill the database. */
const usersMax = 200_000;

type Created = { user: ScimUserRecord; ignored: string[] };

/**
 * Makes a user, who signs in by single sign-on alone. A user of the client's issuer who signed in before is taken over. Throws
 * `conflict` if the name or the e-mail is another user's.
 */
export async function createUser(
  { store, config: { oidcIssuer: issuer }, now }: ScimDeps,
  requester: ScimRequester,
  body: unknown,
): Promise<Created> {
  const { user: given, ignored } = readUserBody(body);
  const { userName } = given;
  if (userName === null) throw toScimError("invalidValue", "A user needs a userName.");
  const wanted = { ...given, userName, active: given.active ?? true };
  const email = toHubEmail(wanted);
  const { client, actor } = requester;
  const stamp = stampChange(actor, now());
  const groupsStamp = stampChange(actor, stamp.changedAt);
  const newId = crypto.randomUUID();
  // Before the transaction: one that reads all users of the client conflicts with every other one. Requests at once may exceed it by some.
  const isFull = (await countKeptUsers(store.db, client.id)) >= usersMax;
  const user = await transaction(store.db, async (trx) => {
    await checkFree(trx, client.id, wanted);
    const known = await findKnownUser(trx, client, { email, userName });
    if (known !== null) {
      const save = { requester, issuer, stamp, groupsStamp, user: known, wanted };
      return await saveUser(trx, save);
    }
    if (isFull) throw toScimError("tooMany", `A SCIM client keeps at most ${usersMax} users.`);
    const status = wanted.active ? "active" : "disabled";
    const at = stamp.changedAt;
    const name = toHubName(wanted, email);
    await insertUser(trx, {
      id: newId,
      email,
      name,
      role: "user",
      status,
      origin: "scim",
      tags: [],
      createdAt: at,
    });
    if (!wanted.active) {
      await updateUser(trx, newId, { status: "disabled", disabledBy: "scim" }, at);
    }
    await saveKeptUser(trx, {
      userId: newId,
      clientId: client.id,
      userName,
      externalId: wanted.externalId,
      attributes: toAttributes(wanted),
      at,
    });
    await recordChange(trx, stamp, {
      action: "user.create",
      kind: "user",
      id: newId,
      name: email,
      detail: { scim_client: client.name, status },
    });
    return await reload(trx, newId);
  });
  return { user, ignored };
}

async function reload(trx: Transaction, id: string): Promise<ScimUserRecord> {
  const user = await findScimUserById(trx, id);
  if (user === null) throw new Error("A user is gone in its own transaction");
  return user;
}

/** A name or id that the client has for another user is its own mistake, and found as such. */
async function checkFree(
  trx: Transaction,
  clientId: string,
  { userName, externalId }: Pick<ScimUser, "externalId"> & { userName: string },
): Promise<void> {
  if ((await findKeptUserId(trx, clientId, { userName })) !== null) {
    throw toScimError("uniqueness", "There is a user with this userName.");
  }
  if (externalId === null) return;
  if ((await findKeptUserId(trx, clientId, { externalId })) !== null) {
    throw toScimError("uniqueness", "There is a user with this externalId.");
  }
}

/** The user with this e-mail, or with the user name as its e-mail, if the client may take the user over. */
async function findKnownUser(
  trx: Transaction,
  client: ScimRequester["client"],
  { email, userName }: { email: string; userName: string },
): Promise<ScimUserRecord | null> {
  const owner = await findScimUserByEmail(trx, email);
  if (owner !== null) {
    if (await mayTakeOver(trx, client, owner)) return owner;
    throw toScimError("uniqueness", "Another user of the hub has this e-mail.");
  }
  const nameEmail = toEmail(userName);
  const named = nameEmail === null ? null : await findScimUserByEmail(trx, nameEmail);
  return named !== null && (await mayTakeOver(trx, client, named)) ? named : null;
}
