import type { CreatedScimClient, ScimClient } from "@hub/contract/scim-client.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { z } from "zod";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { createScimToken } from "../../identity/find-scim-client.ts";
import { checkInput, lineSchema } from "../../lib/input/check-input.ts";
import { findProxyFault } from "../../lib/network/trusted-proxies.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import {
  deleteScimClient,
  findScimClient,
  insertScimClient,
  listScimClients as listStored,
  replaceScimToken,
  type ScimClientRecord,
} from "../../store/scim/scim-clients-table.ts";
import { countScimGroups, deleteGroupsOf } from "../../store/scim/scim-groups-table.ts";
import { countKeptUsers } from "../../store/scim/scim-users-table.ts";
import { removeGroupSource } from "../../store/users/user-groups-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { applyDueGroups } from "./groups/apply-groups.ts";

type ClientDeps = Pick<ServiceDeps, "store" | "now">;

const dayMs = 86_400_000;
const clientsMax = 50;

const lifetimeSchema = z
  .int({ error: "must be a whole number of days." })
  .min(1, { error: "must be at least 1." })
  .max(730, { error: "must be at most 730." })
  .default(365);

const newClientSchema = z.strictObject({
  name: lineSchema(100),
  issuer: z
    .url({ error: "must be the address of the issuer, as it stands in its tokens." })
    .max(500)
    .optional(),
  addresses: z
    .array(z.string())
    .min(1, { error: "must have an entry. Leave it out for any address." })
    .max(50, { error: "must have at most 50 entries." })
    .refine((entries) => findProxyFault(entries) === null, {
      error: "must be addresses and networks, such as 192.0.2.7 and 2001:db8::/32.",
    })
    .optional(),
  /** Of the token, counted from now. */
  expiresInDays: lifetimeSchema,
});

export type NewScimClientInput = z.input<typeof newClientSchema>;

/** Makes a SCIM client. Its token is returned only here. */
export async function createScimClient(
  { store, now }: ClientDeps,
  actor: Actor,
  input: NewScimClientInput,
): Promise<CreatedScimClient> {
  const {
    name,
    issuer = null,
    addresses = null,
    expiresInDays,
  } = checkInput(newClientSchema, input);
  const at = now();
  const stamp = stampChange(actor, at);
  const { token, tokenHash, lastFour } = createScimToken();
  const client: ScimClientRecord = {
    id: crypto.randomUUID(),
    name,
    lastFour,
    issuer,
    addresses,
    createdBy: actor.email,
    createdAt: at,
    expiresAt: at + expiresInDays * dayMs,
    lastUsedAt: null,
  };
  await transaction(store.db, async (trx) => {
    const others = await listStored(trx);
    if (others.some((other) => other.name === name)) {
      throw new HubError("conflict", `There is a SCIM client "${name}". Choose another name.`);
    }
    if (others.length >= clientsMax) {
      throw new HubError("conflict", `There are ${clientsMax} SCIM clients. Remove one first.`);
    }
    await insertScimClient(trx, { ...client, tokenHash });
    await recordChange(trx, stamp, {
      action: "scim_client.create",
      kind: "scim_client",
      id: client.id,
      name,
      detail: { issuer, addresses, expires_at: toTimeText(client.expiresAt) },
    });
  });
  return { ...toClient(client, { users: 0, groups: 0 }), token };
}

/** Oldest first. */
export async function listScimClients({ store }: Pick<ClientDeps, "store">): Promise<ScimClient[]> {
  const clients = await listStored(store.db);
  return await Promise.all(clients.map((client) => present(store.db, client)));
}

/** Gives a client another token. The earlier one is refused from the next request on. */
export async function rotateScimToken(
  { store, now }: ClientDeps,
  actor: Actor,
  id: string,
  input: { expiresInDays?: number | undefined } = {},
): Promise<CreatedScimClient> {
  const { expiresInDays } = checkInput(z.strictObject({ expiresInDays: lifetimeSchema }), input);
  const at = now();
  const stamp = stampChange(actor, at);
  const { token, tokenHash, lastFour } = createScimToken();
  const expiresAt = at + expiresInDays * dayMs;
  const client = await transaction(store.db, async (trx) => {
    const { name } = await loadScimClient(trx, id);
    await replaceScimToken(trx, id, { tokenHash, lastFour, expiresAt });
    await recordChange(trx, stamp, {
      action: "scim_client.rotate",
      kind: "scim_client",
      id,
      name,
      detail: { expires_at: toTimeText(expiresAt) },
    });
    return await loadScimClient(trx, id);
  });
  return { ...(await present(store.db, client)), token };
}

/**
 * Removes a client. Its token is refused from the next request on, its users stay as they are, and its groups give them nothing
 * any more. It is listed until that is done, and can be removed again if the hub stopped meanwhile.
 */
export async function removeScimClient(
  deps: ClientDeps,
  actor: Actor,
  id: string,
): Promise<ScimClient> {
  const { db } = deps.store;
  const at = deps.now();
  const stamp = stampChange(actor, at);
  const { tokenHash } = createScimToken();
  const removed = await transaction(db, async (trx) => {
    const client = await loadScimClient(trx, id);
    const shown = await present(trx, client);
    // No text has this hash.
    await replaceScimToken(trx, client.id, { tokenHash, lastFour: client.lastFour, expiresAt: at });
    await deleteGroupsOf(trx, client.id);
    await recordChange(trx, stamp, {
      action: "scim_client.remove",
      kind: "scim_client",
      id: client.id,
      name: client.name,
      detail: { users: shown.users, groups: shown.groups },
    });
    return shown;
  });
  await applyDueGroups(deps, () => false);
  await transaction(db, async (trx) => {
    await removeGroupSource(trx, `scim:${removed.id}`);
    await deleteScimClient(trx, removed.id);
  });
  return removed;
}

/** The client with this id. Throws `not_found`. */
export async function loadScimClient(db: Db, id: string): Promise<ScimClientRecord> {
  const client = await findScimClient(db, id.toLowerCase());
  if (client === null) throw new HubError("not_found", "There is no such SCIM client.");
  return client;
}

async function present(db: Db, client: ScimClientRecord): Promise<ScimClient> {
  const users = await countKeptUsers(db, client.id);
  return toClient(client, { users, groups: await countScimGroups(db, client.id) });
}

function toClient(
  client: ScimClientRecord,
  { users, groups }: { users: number; groups: number },
): ScimClient {
  const { lastUsedAt } = client;
  return {
    id: client.id,
    name: client.name,
    last_four: client.lastFour,
    issuer: client.issuer,
    addresses: client.addresses,
    created_by: client.createdBy,
    created_at: toTimeText(client.createdAt),
    expires_at: toTimeText(client.expiresAt),
    last_used_at: lastUsedAt === null ? null : toTimeText(lastUsedAt),
    users,
    groups,
  };
}
