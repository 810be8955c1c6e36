import type { HubFile, HubFileUser } from "@hub/contract/hub-file.ts";
import { emailSchema } from "../../lib/input/check-input.ts";
import { EVERYONE_TAG, toTagNames } from "../../store/tags/tags-table.ts";
import { isServiceEmail } from "../../store/users/service-users.ts";
import { findUserByEmail, listUsers, type User } from "../../store/users/users-table.ts";
import { addUser } from "../users/add-user.ts";
import { disableUser, enableUser, setUser } from "../users/manage-users.ts";
import { type ApplyContext, at, compareFields, hasField } from "./apply-context.ts";

/** Users by their e-mail. Pruning disables those that the file does not name: nothing of theirs is deleted. */
export async function applyUsers(
  context: ApplyContext,
  { users }: Pick<HubFile, "users">,
): Promise<void> {
  if (users === undefined) return;
  const { deps, author, changes, isPruning } = context;
  const named = new Set<string>();
  for (const [index, user] of users.entries()) {
    await at(context, ["users", index], async () => {
      const email = emailSchema.safeParse(user.email).data ?? user.email;
      if (named.has(email)) {
        throw context.refuse(["users", index, "email"], `"${email}" is in the file twice.`);
      }
      named.add(email);
      if (isServiceEmail(email)) {
        const message = `"${email}" stands for a service user, which no hub file makes or changes. Leave it out, and use \`hub service-user\`.`;
        throw context.refuse(["users", index, "email"], message);
      }
      await applyUser(context, { ...user, email });
    });
  }
  if (!isPruning) return;
  for (const { id, email, status, kind } of await listUsers(deps.store.db)) {
    // A service user stops with its owner.
    if (named.has(email) || status === "disabled" || kind === "service") continue;
    await at(context, ["users"], () => disableUser(deps, author.actor, id));
    changes.push({ action: "disable", kind: "user", name: email, id, fields: [] });
  }
}

async function applyUser(context: ApplyContext, given: HubFileUser): Promise<void> {
  const { deps, author, changes, notes } = context;
  const { email, name, role, status, tags } = given;
  const input = {
    ...(name !== undefined && { name }),
    ...(role !== undefined && { role }),
    ...(tags !== undefined && { tags }),
  };
  const present = await findUserByEmail(deps.store.db, email);
  if (present === null) {
    const { id } = await addUser(deps, author.actor, { email, ...input });
    if (status === "disabled") await disableUser(deps, author.actor, id);
    else notes.push(`${email} has no password: hub user password ${email}`);
    const fields = compareFields({ ...input, status }, {});
    changes.push({ action: "create", kind: "user", name: email, id, fields });
    return;
  }
  const wanted = { name: name?.trim(), role, status, tags: toOwnTags(tags) };
  const fields = compareFields(wanted, toPresent(present));
  if (fields.length === 0) return;
  const isChanged = ["name", "role", "tags"].some((field) => hasField(fields, field));
  if (isChanged) await setUser(deps, author.actor, present.id, input);
  if (hasField(fields, "status")) {
    const setStatus = status === "active" ? enableUser : disableUser;
    await setStatus(deps, author.actor, present.id);
  }
  changes.push({ action: "update", kind: "user", name: email, id: present.id, fields });
}

function toPresent({ name, role, status, tags }: User) {
  return { name, role, status, tags: [...tags].sort() };
}

/** As they are stored. */
function toOwnTags(tags: readonly string[] | undefined): string[] | undefined {
  if (tags === undefined) return undefined;
  return toTagNames(tags)
    .filter((tag) => tag !== EVERYONE_TAG)
    .sort();
}
