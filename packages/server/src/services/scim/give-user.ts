import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { applyGroups } from "../../identity/groups/apply-groups.ts";
import { transaction } from "../../store/database/database.ts";
import {
  findScimUserById,
  releaseKeptUser,
  type ScimUserRecord,
  saveKeptUser,
} from "../../store/scim/scim-users-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { loadScimClient } from "./manage-scim-clients.ts";
import { toAttributes, toScimUser } from "./users/kept-attributes.ts";
import { checkChangeable } from "./users/load-user.ts";

type GiveDeps = Pick<ServiceDeps, "store" | "now">;
type Given = { id: string; email: string };

/** Gives a user to a SCIM client, which changes and disables the user from then on. Throws `conflict` if another client has the user. */
export async function giveUser(
  { store, now }: GiveDeps,
  actor: Actor,
  { clientId, userId }: { clientId: string; userId: string },
): Promise<Given> {
  const at = now();
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const client = await loadScimClient(trx, clientId);
    const user = await findScimUserById(trx, userId);
    if (user === null) throw new HubError("not_found", "There is no such user.");
    const { id, email, kept } = user;
    if (kept !== null && (kept.clientId !== client.id || kept.userName !== null)) {
      throw new HubError(
        "conflict",
        `"${email}" belongs to a SCIM client. Release the user first.`,
      );
    }
    checkChangeable(user);
    const { userName } = toScimUser({ ...user, kept: null });
    await saveKeptUser(trx, {
      userId: id,
      clientId: client.id,
      userName,
      externalId: null,
      attributes: toAttributes(toScimUser({ ...user, kept: null })),
      at,
    });
    const { name } = client;
    await recordChange(trx, stamp, {
      action: "user.give",
      kind: "user",
      id,
      name: email,
      detail: { scim_client: name },
    });
    return { id, email };
  });
}

/** Takes a user from its SCIM client. What the client's groups gave goes; the user stays as it is. */
export async function releaseUser(
  { store, now }: GiveDeps,
  actor: Actor,
  userId: string,
): Promise<Given> {
  const at = now();
  const stamp = stampChange(actor, at);
  const groupsStamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const { id, email, kept } = await loadKept(await findScimUserById(trx, userId));
    const source = `scim:${kept.clientId}` as const;
    await applyGroups(trx, { userId: id, source, names: [] }, groupsStamp);
    await releaseKeptUser(trx, { userId: id, clientId: kept.clientId });
    await recordChange(trx, stamp, { action: "user.release", kind: "user", id, name: email });
    return { id, email };
  });
}

function loadKept(user: ScimUserRecord | null) {
  if (user === null) throw new HubError("not_found", "There is no such user.");
  const { id, email, kept } = user;
  if (kept === null) throw new HubError("conflict", `"${email}" belongs to no SCIM client.`);
  return { id, email, kept };
}
