import { roleSchema, type User } from "@hub/contract/user.ts";
import { z } from "zod";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { reapplyGroups, releaseKeptAdmins } from "../../identity/groups/apply-groups.ts";
import { hubActor } from "../../identity/local-admin.ts";
import { checkInput, lineSchema, tagsSchema } from "../../lib/input/check-input.ts";
import { type Page, type PageInput, readPage } from "../../lib/input/page.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import { hasSameTags, toChangedTags } from "../../store/tags/tag-change.ts";
import { hasOtherActiveAdmin } from "../../store/users/active-users.ts";
import { deleteSessionsOf } from "../../store/users/sessions-table.ts";
import type { UserFilter } from "../../store/users/user-filter.ts";
import { findUserOrigins, setHandRole } from "../../store/users/user-origins.ts";
import {
  countUsersByStatus,
  listUserPage,
  type User as StoredUser,
  setUserTags,
  updateUser,
} from "../../store/users/users-table.ts";
import { checkGivesRuleTags } from "../rules/check-rule-rights.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { checkGivesAccess } from "./check-gives-access.ts";
import { loadPerson, loadUser } from "./load-user.ts";
import { toUser } from "./to-user.ts";
import { withoutEveryone } from "./without-everyone.ts";

type UserDeps = Pick<ServiceDeps, "store" | "now">;

const userChangeSchema = z.strictObject({
  name: lineSchema(100).optional(),
  role: roleSchema.optional(),
  /** Replaces all tags. */
  tags: tagsSchema.optional(),
  addTags: tagsSchema.default([]),
  removeTags: tagsSchema.default([]),
});

export type UserChangeInput = z.input<typeof userChangeSchema>;
type UserChange = z.output<typeof userChangeSchema>;

/** Service users have lists of their own. */
const people = { kind: "person" } as const;

/** One page of the people who match, by e-mail. */
export async function listUsers(
  { store }: Pick<UserDeps, "store">,
  page: PageInput = {},
  filter: UserFilter = {},
): Promise<Page<User>> {
  const { items, next } = await readPage(page, {
    keyType: "string",
    read: (after, limit) =>
      listUserPage(store.db, { ...filter, ...people, after: after && String(after.key), limit }),
    toCursor: ({ email, id }) => ({ key: email, id }),
  });
  return { items: items.map(toUser), next };
}

/** How many people match in each state. */
export async function countUsers(
  { store }: Pick<UserDeps, "store">,
  filter: UserFilter,
): Promise<Record<User["status"], number>> {
  const counts = await countUsersByStatus(store.db, { ...filter, ...people });
  const count = (status: User["status"]) => counts.get(status) ?? 0;
  return { active: count("active"), pending: count("pending"), disabled: count("disabled") };
}

export async function showUser({ store }: Pick<UserDeps, "store">, id: string): Promise<User> {
  return toUser(await loadUser(store.db, id));
}

/** Changes the given members of a user. */
export async function setUser(
  { store, now }: UserDeps,
  actor: Actor,
  id: string,
  input: UserChangeInput,
): Promise<User> {
  const change = checkInput(userChangeSchema, input);
  const at = now();
  const stamp = stampChange(actor, at);
  const groupsStamp = stampChange(hubActor, at);
  return await transaction(store.db, async (trx) => {
    const user = await loadPerson(trx, id);
    const { name, role } = change;
    if (role === "admin" && user.role !== "admin") checkGivesAccess(actor);
    if (role === "user") await checkOtherAdmin(trx, actor, user);
    if (name !== undefined || role !== undefined) {
      const named = { ...(name !== undefined && { name }) };
      const given = role === undefined ? {} : await giveRoleByHand(trx, user, role);
      await updateUser(trx, user.id, { ...named, ...given }, at);
    }
    // Groups may have taken the role before, from the last admin at that time.
    if (role !== undefined && user.role === "admin") await reapplyGroups(trx, user.id, groupsStamp);
    const tags = withoutEveryone(toChangedTags(user.tags, change));
    await checkGivesRuleTags(trx, actor, withoutTags(tags, user.tags));
    const alsoByHand = withoutEveryone(change.addTags);
    if (!hasSameTags(tags, user.tags) || alsoByHand.length > 0) {
      await setUserTags(trx, user.id, tags, at, alsoByHand);
    }
    const detail = toUserChangeDetail(user, change, tags);
    const { id: userId, email } = user;
    await recordChange(trx, stamp, {
      action: "user.update",
      kind: "user",
      id: userId,
      name: email,
      detail,
    });
    if (role === "admin") await releaseKeptAdmins(trx, userId, groupsStamp);
    return toUser(await loadUser(trx, userId));
  });
}

export function enableUser(deps: UserDeps, actor: Actor, id: string): Promise<User> {
  return setStatus(deps, actor, id, "active");
}

/** Ends the user's sessions. The user's tokens are refused from the next request on. */
export function disableUser(deps: UserDeps, actor: Actor, id: string): Promise<User> {
  return setStatus(deps, actor, id, "disabled");
}

async function setStatus(
  { store, now }: UserDeps,
  actor: Actor,
  userId: string,
  status: "active" | "disabled",
): Promise<User> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const user = await loadPerson(trx, userId);
    const { id, email: name } = user;
    if (status === "disabled") await checkOtherAdmin(trx, actor, user);
    await updateUser(trx, id, { status }, stamp.changedAt);
    if (status === "disabled") await deleteSessionsOf(trx, id);
    const action = status === "active" ? "user.enable" : "user.disable";
    await recordChange(trx, stamp, { action, kind: "user", id, name });
    if (status === "active") await releaseKeptAdmins(trx, id, stamp);
    return toUser(await loadUser(trx, id));
  });
}

/** Groups that give the role admin keep it, and the role by hand counts once they no longer do. */
async function giveRoleByHand(
  trx: Transaction,
  { id }: StoredUser,
  role: User["role"],
): Promise<{ role?: User["role"] }> {
  const origins = await findUserOrigins(trx, id);
  if (role === "admin" && origins?.origin === "prepared") {
    throw new HubError(
      "conflict",
      "A user who has not signed in yet cannot be an admin. Give the role after the first sign-in, or by a group.",
    );
  }
  if (origins?.handRole == null) return { role };
  await setHandRole(trx, id, role);
  return {};
}

/**
 * A hub without an admin can be managed only from its own machine. The command line may remove the
 * last admin, because it can add another one at any time.
 */
async function checkOtherAdmin(
  trx: Transaction,
  actor: Actor,
  { id, role }: Pick<StoredUser, "id" | "role">,
): Promise<void> {
  if (actor.via === "command line" || role !== "admin") return;
  if (await hasOtherActiveAdmin(trx, id)) return;
  throw new HubError(
    "conflict",
    "This is the last active admin. Give another user the role admin first.",
  );
}

function toUserChangeDetail(
  user: StoredUser,
  { name, role }: UserChange,
  tags: readonly string[],
): Record<string, unknown> {
  return {
    ...(name !== undefined && name !== user.name && { name: { from: user.name, to: name } }),
    ...(role !== undefined && role !== user.role && { role: { from: user.role, to: role } }),
    ...(!hasSameTags(tags, user.tags) && { tags: { from: user.tags, to: tags } }),
  };
}

/** The tags that are not among the others. */
function withoutTags(tags: readonly string[], others: readonly string[]): string[] {
  return tags.filter((tag) => !others.includes(tag));
}
