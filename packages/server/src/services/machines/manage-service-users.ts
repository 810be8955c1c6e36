import type { ServiceUser } from "@hub/contract/machine.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { CreatedToken } from "@hub/contract/token.ts";
import { roleSchema } from "@hub/contract/user.ts";
import { z } from "zod";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { checkInput, tagsSchema } from "../../lib/input/check-input.ts";
import { type Db, type Transaction, transaction } from "../../store/database/database.ts";
import {
  countServiceUsers,
  setServiceOwner,
  toServiceEmail,
} from "../../store/users/service-users.ts";
import {
  findUserById,
  insertUser,
  listUserPage,
  setUserTags,
  type User,
  updateUser,
} from "../../store/users/users-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { checkGivesAccess } from "../users/check-gives-access.ts";
import { loadUser } from "../users/load-user.ts";
import { createToken, type NewTokenInput } from "../users/manage-tokens.ts";
import { withoutEveryone } from "../users/without-everyone.ts";

type ServiceUserDeps = Pick<ServiceDeps, "store" | "now" | "config">;

/** All of one hub are in one list. */
const serviceUsersMax = 1_000;

const nameSchema = z.string().regex(/^[a-z0-9](?:[a-z0-9-]{0,58}[a-z0-9])?$/, {
  error: "must be 1 to 60 lower-case letters, digits and hyphens, such as deploy-bot.",
});

const newServiceUserSchema = z.strictObject({
  name: nameSchema,
  /** The id of the person who answers for it. The default is who makes it. */
  owner: z.string().optional(),
  role: roleSchema.default("user"),
  tags: tagsSchema.default([]),
});

const changeSchema = z.strictObject({
  /** The id of its new owner. */
  owner: z.string().optional(),
  role: roleSchema.optional(),
  /** Replaces all tags. */
  tags: tagsSchema.optional(),
  status: z.enum(["active", "disabled"]).optional(),
});

export type NewServiceUserInput = z.input<typeof newServiceUserSchema>;
export type ServiceUserChangeInput = z.input<typeof changeSchema>;

/** Makes a user for programs, owned by a person. The caller checks that an admin asks, by no token. */
export async function addServiceUser(
  deps: ServiceUserDeps,
  actor: Actor,
  input: NewServiceUserInput,
): Promise<ServiceUser> {
  checkGivesAccess(actor);
  const {
    name,
    owner: ownerId = actor.userId,
    role,
    tags,
  } = checkInput(newServiceUserSchema, input);
  const createdAt = deps.now();
  const stamp = stampChange(actor, createdAt);
  const id = crypto.randomUUID();
  return await transaction(deps.store.db, async (trx) => {
    const owner = await loadOwner(trx, ownerId);
    checkRole(role, owner);
    if ((await countServiceUsers(trx)) >= serviceUsersMax) {
      throw new HubError("conflict", `A hub has at most ${serviceUsersMax} service users.`);
    }
    const email = toServiceEmail(name);
    const made = await insertUser(trx, {
      id,
      email,
      name,
      role,
      status: "active",
      tags: withoutEveryone(tags),
      createdAt,
      service: { ownerId: owner.id },
    });
    await recordChange(trx, stamp, {
      action: "service_user.create",
      kind: "user",
      id,
      name: email,
      detail: { owner: owner.email, role, tags: made.tags },
    });
    return toServiceUser(made, owner);
  });
}

/** All of the hub, by name. */
export async function listServiceUsers({
  store,
}: Pick<ServiceUserDeps, "store">): Promise<ServiceUser[]> {
  const users = await listUserPage(store.db, { kind: "service", limit: serviceUsersMax });
  const owners = new Map<string, User | null>();
  for (const { ownerId } of users) {
    if (ownerId !== null && !owners.has(ownerId)) {
      owners.set(ownerId, await findUserById(store.db, ownerId));
    }
  }
  return users.map((user) => toServiceUser(user, owners.get(user.ownerId ?? "") ?? null));
}

export async function showServiceUser(
  { store }: Pick<ServiceUserDeps, "store">,
  id: string,
): Promise<ServiceUser> {
  return await present(store.db, await loadServiceUser(store.db, id));
}

/** Changes the given members. A new owner takes it over: it goes on with what that owner may see. */
export async function changeServiceUser(
  deps: ServiceUserDeps,
  actor: Actor,
  id: string,
  input: ServiceUserChangeInput,
): Promise<ServiceUser> {
  checkGivesAccess(actor);
  const change = checkInput(changeSchema, input);
  const at = deps.now();
  const stamp = stampChange(actor, at);
  return await transaction(deps.store.db, async (trx) => {
    const user = await loadServiceUser(trx, id);
    const ownerId = change.owner ?? user.ownerId;
    const owner =
      ownerId === null ? null : await loadOwner(trx, ownerId, change.owner !== undefined);
    if (change.role !== undefined) checkRole(change.role, owner);
    if (change.owner !== undefined && owner !== null) {
      await setServiceOwner(trx, user.id, { ownerId: owner.id, at });
    }
    const { role, status } = change;
    await updateUser(trx, user.id, { ...(role && { role }), ...(status && { status }) }, at);
    if (change.tags !== undefined) {
      await setUserTags(trx, user.id, withoutEveryone(change.tags), at);
    }
    const { owner: _, ...others } = change;
    await recordChange(trx, stamp, {
      action: "service_user.update",
      kind: "user",
      id: user.id,
      name: user.email,
      detail: { ...others, ...(change.owner !== undefined && { owner: owner?.email }) },
    });
    return await present(trx, await loadServiceUser(trx, user.id));
  });
}

/** Creates a token of a service user. It has the scope `mcp` and an expiry. */
export async function createServiceToken(
  deps: ServiceUserDeps,
  actor: Actor,
  id: string,
  input: Omit<NewTokenInput, "scope">,
): Promise<CreatedToken> {
  checkGivesAccess(actor);
  const { id: userId } = await loadServiceUser(deps.store.db, id);
  return await createToken(deps, actor, userId, input);
}

/** The service user with this id. Throws `not_found`. */
export async function loadServiceUser(db: Db, id: string): Promise<User> {
  const user = await findUserById(db, id.toLowerCase());
  if (user?.kind === "service") return user;
  throw new HubError("not_found", "There is no such service user. List them to see their ids.");
}

async function present(db: Db, user: User): Promise<ServiceUser> {
  return toServiceUser(user, user.ownerId === null ? null : await findUserById(db, user.ownerId));
}

/** A new owner must be active: a service user of another one would do nothing. */
async function loadOwner(trx: Transaction, id: string, isNew = true): Promise<User> {
  const owner = await loadUser(trx, id);
  if (!isNew || (owner.kind === "person" && owner.status === "active")) return owner;
  throw new HubError(
    "conflict",
    "The owner of a service user is an active person. Name another one.",
  );
}

function checkRole(role: User["role"], owner: User | null): void {
  if (role !== "admin" || owner?.role === "admin") return;
  throw new HubError("conflict", "A service user is an admin only if its owner is one.");
}

function toServiceUser(user: User, owner: User | null): ServiceUser {
  const { id, name, role, status, tags, createdAt } = user;
  return {
    id,
    name,
    owner: owner?.email ?? null,
    role,
    status,
    works: status === "active" && owner?.status === "active",
    tags,
    created_at: toTimeText(createdAt),
  };
}
