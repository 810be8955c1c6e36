import { toTimeText } from "@hub/contract/time.ts";
import { type OneTimePassword, roleSchema, type User } from "@hub/contract/user.ts";
import { z } from "zod";
import { HubError } from "../errors.ts";
import { createOneTimePassword, createPasswords } from "../identity/passwords.ts";
import { liftSignInLimits } from "../identity/sign-in-throttle.ts";
import type { Store } from "../store/open-store.ts";
import { setPassword } from "../store/passwords.ts";
import { deleteSessionsOf } from "../store/sessions.ts";
import type { Db } from "../store/tables.ts";
import { EVERYONE_TAG, toTagNames } from "../store/tags.ts";
import {
  findUserByEmail,
  findUserById,
  insertUser,
  listUsers,
  type User as StoredUser,
  setUserTags,
  updateUser,
} from "../store/users.ts";
import type { Actor } from "./actor.ts";
import type { ChangeRecorder } from "./change-recorder.ts";
import { checkInput, lineSchema, tagsSchema } from "./check-input.ts";
import { findUser } from "./find-user.ts";
import { hasSameTags, toChangedTags } from "./tag-change.ts";

type UserDeps = { store: Store; changes: ChangeRecorder; actor: Actor };

/** An address as people type it; `admin@localhost` counts, since nobody has to receive mail. */
export const emailSchema = z
  .string()
  .trim()
  .toLowerCase()
  .max(254, { error: "must have at most 254 characters." })
  .regex(/^[^\s@\p{Cc}]+@[^\s@\p{Cc}]+$/u, {
    error: "must be an email address, such as ada@example.com.",
  });

const newUserSchema = z.strictObject({
  email: emailSchema,
  name: lineSchema(100).optional(),
  role: roleSchema.default("user"),
  tags: tagsSchema.default([]),
});

const userChangeSchema = z.strictObject({
  name: lineSchema(100).optional(),
  role: roleSchema.optional(),
  /** Replaces all tags. */
  tags: tagsSchema.optional(),
  addTags: tagsSchema.default([]),
  removeTags: tagsSchema.default([]),
});

export type NewUserInput = z.input<typeof newUserSchema>;
export type UserChangeInput = z.input<typeof userChangeSchema>;
export type UserVerbs = ReturnType<typeof createUserVerbs>;

/** Verbs on people. Each names a user by email. */
export function createUserVerbs({ store, changes, actor }: UserDeps) {
  // Whoever has the command line can make another admin at any time.
  const keepsAdmin = actor.via !== "command line";

  const setStatus = async (email: string, status: "active" | "disabled"): Promise<User> =>
    store.transaction(async (trx) => {
      const { id, email: name, ...user } = await findUser(trx, email);
      if (keepsAdmin && status === "disabled") await checkOtherAdmin(trx, { id, ...user });
      const changed = await mustExist(updateUser(trx, id, { status }));
      if (status === "disabled") await deleteSessionsOf(trx, id);
      const action = status === "active" ? "user.enable" : "user.disable";
      await changes.record(trx, { action, kind: "user", id, name });
      return toUser(changed);
    });

  return {
    async add(input: NewUserInput): Promise<User> {
      const { email, name, role, tags } = checkInput(newUserSchema, input);
      if (role === "admin") checkGivesAccess(actor);
      return store.transaction(async (trx) => {
        if ((await findUserByEmail(trx, email)) !== null) {
          throw new HubError("conflict", `"${email}" is a user already; change that one instead.`);
        }
        const user = await insertUser(trx, {
          email,
          name: name ?? email.slice(0, email.lastIndexOf("@")),
          role,
          status: "active",
          tags: withoutEveryone(tags),
        });
        await changes.record(trx, {
          action: "user.create",
          kind: "user",
          id: user.id,
          name: user.email,
          detail: { role: user.role, tags: user.tags },
        });
        return toUser(user);
      });
    },

    async list(): Promise<User[]> {
      return (await listUsers(store.db)).map(toUser);
    },

    async showById(id: string): Promise<User> {
      const user = await findUserById(store.db, id.toLowerCase());
      if (user === null) throw new HubError("not_found", "There is no such user.");
      return toUser(user);
    },

    /** The e-mail that filters of other verbs take; null where no user is named. */
    async findEmail(id: string | undefined): Promise<string | null> {
      return id === undefined ? null : (await this.showById(id)).email;
    },

    async show(email: string): Promise<User> {
      return toUser(await findUser(store.db, email));
    },

    async set(email: string, input: UserChangeInput): Promise<User> {
      const change = checkInput(userChangeSchema, input);
      return store.transaction(async (trx) => {
        const user = await findUser(trx, email);
        const { name, role } = change;
        if (role === "admin" && user.role !== "admin") checkGivesAccess(actor);
        if (keepsAdmin && role === "user") await checkOtherAdmin(trx, user);
        if (name !== undefined || role !== undefined) {
          await updateUser(trx, user.id, {
            ...(name !== undefined && { name }),
            ...(role !== undefined && { role }),
          });
        }
        const tags = withoutEveryone(toChangedTags(user.tags, change));
        if (!hasSameTags(tags, user.tags)) await setUserTags(trx, user.id, tags);
        await changes.record(trx, {
          action: "user.update",
          kind: "user",
          id: user.id,
          name: user.email,
          detail: {
            ...(name !== undefined &&
              name !== user.name && { name: { from: user.name, to: name } }),
            ...(role !== undefined &&
              role !== user.role && { role: { from: user.role, to: role } }),
            ...(!hasSameTags(tags, user.tags) && { tags: { from: user.tags, to: tags } }),
          },
        });
        return toUser(await findUser(trx, email));
      });
    },

    /** Gives the user a new one-time password, which has to be changed at sign-in; ends sessions. */
    async setOneTimePassword(email: string): Promise<OneTimePassword> {
      checkGivesAccess(actor);
      const password = createOneTimePassword();
      const hash = await createPasswords().hash(password);
      return store.transaction(async (trx) => {
        const user = await findUser(trx, email);
        await setPassword(trx, user.id, { hash, mustChange: true });
        await deleteSessionsOf(trx, user.id);
        await liftSignInLimits(trx, user.email);
        const { id, email: name } = user;
        await changes.record(trx, { action: "user.password", kind: "user", id, name });
        return { email: name, one_time_password: password };
      });
    },

    /** Forgets wrong passwords, so that the user need not wait to sign in. */
    async unlock(email: string): Promise<User> {
      return store.transaction(async (trx) => {
        const user = await findUser(trx, email);
        await liftSignInLimits(trx, user.email);
        const { id, email: name } = user;
        await changes.record(trx, { action: "user.unlock", kind: "user", id, name });
        return toUser(user);
      });
    },

    /** Ends the user's sessions and tokens at the next request. */
    disable: (email: string) => setStatus(email, "disabled"),

    enable: (email: string) => setStatus(email, "active"),
  };
}

/** Stops a stolen token from becoming an account that stays when the token is revoked. */
function checkGivesAccess({ via }: Actor): void {
  if (via !== "token") return;
  throw new HubError(
    "forbidden",
    "A token cannot give passwords or the role admin. Send this request from a signed-in browser, or use `hub user` on the hub's machine.",
  );
}

/** A hub without an admin can be managed from its own machine alone. */
async function checkOtherAdmin(db: Db, user: Pick<StoredUser, "id" | "role">): Promise<void> {
  if (user.role !== "admin") return;
  const isOther = (one: StoredUser) =>
    one.id !== user.id && one.role === "admin" && one.status === "active";
  if ((await listUsers(db)).some(isOther)) return;
  throw new HubError("conflict", "This is the last active admin. Make somebody else one first.");
}

/** The reserved tag is every user's already; stored, it would only look removable. */
function withoutEveryone(tags: readonly string[]): string[] {
  return toTagNames(tags).filter((tag) => tag !== EVERYONE_TAG);
}

function toUser(user: StoredUser): User {
  return {
    id: user.id,
    email: user.email,
    name: user.name,
    role: user.role,
    status: user.status,
    tags: user.tags,
    created_at: toTimeText(user.createdAt),
  };
}

async function mustExist<T>(found: Promise<T | null>): Promise<T> {
  const value = await found;
  if (value === null) throw new Error("A row vanished within the transaction that read it");
  return value;
}
