import {
  type CreatedMachineClient,
  type MachineClient,
  machineClientAuthSchema,
} from "@hub/contract/machine.ts";
import { toTimeText } from "@hub/contract/time.ts";
import { z } from "zod";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { hashToken } from "../../identity/authenticate-bearer.ts";
import { createHubToken } from "../../lib/create-hub-token.ts";
import { checkInput, lineSchema } from "../../lib/input/check-input.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import {
  deleteMachineClient,
  findMachineClient,
  insertMachineClient,
  listMachineClients as listStoredClients,
  type MachineClient as StoredClient,
} from "../../store/machines/machine-clients-table.ts";
import { deleteClientGrants } from "../../store/oauth/machine-grants.ts";
import { findUserById } from "../../store/users/users-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { checkGivesAccess } from "../users/check-gives-access.ts";
import { toBounds } from "../users/manage-tokens.ts";
import { newBoundsSchema } from "../users/new-bounds.ts";
import { loadServiceUser } from "./manage-service-users.ts";
import { readPublicKeys } from "./read-public-keys.ts";

type ClientDeps = Pick<ServiceDeps, "store" | "now">;

const dayMs = 86_400_000;
const clientsMax = 500;

const newClientSchema = z.strictObject({
  name: lineSchema(100),
  /** The id of a service user. Without it, the client only brings assertions of a company's provider. */
  serviceUser: z.string().optional(),
  auth: machineClientAuthSchema.default("client_secret"),
  /** The client's public keys: a JSON Web Key Set, or one key. For `private_key_jwt`. */
  jwks: z.unknown().optional(),
  bounds: newBoundsSchema.optional(),
  expiresInDays: z.int().min(1).max(3650).optional(),
});

export type NewMachineClientInput = z.input<typeof newClientSchema>;

/**
 * Registers a client that gets tokens without a browser. Its secret is returned only here. A registration is never changed:
 * make another one, and delete this. The caller checks that an admin asks, by no token.
 */
export async function addMachineClient(
  deps: ClientDeps,
  actor: Actor,
  input: NewMachineClientInput,
): Promise<CreatedMachineClient> {
  checkGivesAccess(actor);
  const {
    name,
    serviceUser,
    auth,
    jwks,
    bounds = null,
    ...times
  } = checkInput(newClientSchema, input);
  const keys = readKeys(auth, jwks);
  const secret = auth === "client_secret" ? createHubToken("ms", { bytes: 32 }) : null;
  const createdAt = deps.now();
  const { expiresInDays: days } = times;
  const stamp = stampChange(actor, createdAt);
  const id = crypto.randomUUID();
  return await transaction(deps.store.db, async (trx) => {
    if ((await listStoredClients(trx)).length >= clientsMax) {
      throw new HubError(
        "conflict",
        `A hub has at most ${clientsMax} machine clients. Delete one.`,
      );
    }
    const user = serviceUser === undefined ? null : await loadServiceUser(trx, serviceUser);
    const client: StoredClient = {
      id,
      name,
      userId: user?.id ?? null,
      auth,
      secretHash: secret === null ? null : hashToken(secret),
      jwks: keys,
      bounds,
      createdBy: actor.email,
      createdAt,
      expiresAt: days === undefined ? null : createdAt + days * dayMs,
      lastUsedAt: null,
    };
    await insertMachineClient(trx, client);
    const detail = { service_user: user?.name ?? null, auth, ...(bounds && { bounds }) };
    await recordChange(trx, stamp, {
      action: "machine_client.create",
      kind: "application",
      id,
      name,
      detail,
    });
    const shown = toClient(client, user?.name ?? null);
    return { ...shown, client_secret: secret };
  });
}

/** Oldest first. */
export async function listMachineClients({
  store,
}: Pick<ClientDeps, "store">): Promise<MachineClient[]> {
  const clients = await listStoredClients(store.db);
  return await Promise.all(clients.map((client) => present(store.db, client)));
}

/** Deletes a client. Its tokens are refused from the next request on. */
export async function removeMachineClient(
  deps: ClientDeps,
  actor: Actor,
  id: string,
): Promise<MachineClient> {
  const stamp = stampChange(actor, deps.now());
  return await transaction(deps.store.db, async (trx) => {
    const client = await findMachineClient(trx, id.toLowerCase());
    if (client === null) throw new HubError("not_found", "There is no such machine client.");
    const shown = await present(trx, client);
    await deleteMachineClient(trx, client.id);
    await deleteClientGrants(trx, client.id);
    const { name } = client;
    const change = { action: "machine_client.delete", kind: "application", id: client.id } as const;
    await recordChange(trx, stamp, { ...change, name });
    return shown;
  });
}

function readKeys(auth: StoredClient["auth"], jwks: unknown): string | null {
  if (auth === "private_key_jwt") return readPublicKeys(jwks);
  if (jwks === undefined) return null;
  throw new HubError(
    "bad_request",
    "A client with a secret has no jwks. Use private_key_jwt, or leave it out.",
  );
}

async function present(db: Db, client: StoredClient): Promise<MachineClient> {
  const { userId } = client;
  return toClient(
    client,
    userId === null ? null : ((await findUserById(db, userId))?.name ?? null),
  );
}

function toClient(client: StoredClient, serviceUser: string | null): MachineClient {
  const { id, name, auth, bounds, createdBy, createdAt, expiresAt, lastUsedAt } = client;
  return {
    id,
    name,
    service_user: serviceUser,
    auth,
    bounds: bounds === null ? null : toBounds(bounds),
    created_by: createdBy,
    created_at: toTimeText(createdAt),
    expires_at: expiresAt === null ? null : toTimeText(expiresAt),
    last_used_at: lastUsedAt === null ? null : toTimeText(lastUsedAt),
  };
}
