import { recordChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { type Db, type Transaction, transaction } from "../../store/database/database.ts";
import {
  findIdentity,
  insertIdentity,
  listIdentities,
  touchIdentity,
} from "../../store/users/identities-table.ts";
import { findPassword, setPassword } from "../../store/users/passwords-table.ts";
import {
  findUserByEmail,
  findUserById,
  insertUser,
  type User,
} from "../../store/users/users-table.ts";
import type { Person } from "./person.ts";

type LinkDeps = {
  db: Db;
  now: () => number;
  /** In lower case; an empty list allows all. */
  allowedDomains: readonly string[];
  /** The status of new users. */
  newUsers: "pending" | "active";
};

type Visit = { ipAddress: string | null };

/**
 * The hub's user for a person of the issuer: the linked user, the user with the person's verified
 * e-mail, or a new user. The user's session begins in the same transaction. Throws `forbidden` for a
 * person without access.
 */
export async function linkAccount(
  deps: LinkDeps,
  person: Person,
  visit: Visit,
  beginSession: (trx: Transaction, user: User) => Promise<void>,
): Promise<User> {
  checkDomain(deps, person);
  const firstLink = prepareFirstLink(deps, visit);
  const { at } = firstLink;
  return await transaction(deps.db, async (trx) => {
    const known = await findIdentity(trx, person);
    const user =
      known === null
        ? await linkFirst(trx, firstLink, person)
        : await findUserById(trx, known.userId);
    if (user === null) throw new Error("An identity has lost its user");
    checkStatus(user);
    if (known !== null) {
      const email = person.email ?? known.email;
      await touchIdentity(trx, known.id, { email, lastUsedAt: at });
    }
    await endOneTimePassword(trx, user, at);
    await beginSession(trx, user);
    return user;
  });
}

/** Applies to known users as well: an admin may have removed domains since. */
function checkDomain({ allowedDomains }: LinkDeps, { email, isEmailVerified }: Person): void {
  if (allowedDomains.length === 0) return;
  if (email === null || !isEmailVerified) throw toUnverified();
  if (allowedDomains.includes(email.slice(email.lastIndexOf("@") + 1))) return;
  throw new HubError(
    "forbidden",
    `This hub does not accept sign-ins as ${email}. Use your work account.`,
    {
      detail: { reason: "domain_not_allowed" },
    },
  );
}

/**
 * The data that a first sign-in stores in addition to the person. The transaction decides whether
 * it is a first sign-in.
 */
type FirstLink = {
  newUserId: string;
  newUsers: LinkDeps["newUsers"];
  identityId: string;
  changeId: string;
  at: number;
  ip: string | null;
};

function prepareFirstLink({ now, newUsers }: LinkDeps, { ipAddress }: Visit): FirstLink {
  return {
    newUserId: crypto.randomUUID(),
    newUsers,
    identityId: crypto.randomUUID(),
    changeId: Bun.randomUUIDv7(),
    at: now(),
    ip: ipAddress,
  };
}

/** Prevents account take-over by an unverified e-mail, or by an address with a new owner. */
async function linkFirst(trx: Transaction, link: FirstLink, person: Person): Promise<User> {
  const { identityId, changeId, at, ip } = link;
  const { email, issuer, subject } = person;
  if (email === null || !person.isEmailVerified) throw toUnverified();
  const existing = await findUserByEmail(trx, email);
  if (existing !== null) {
    const others = await listIdentities(trx, existing.id);
    if (others.some((other) => other.issuer === issuer)) {
      throw new HubError(
        "forbidden",
        `The user ${email} of this hub is linked to another account of your provider. Ask an admin.`,
        { detail: { reason: "linked_to_another_account" } },
      );
    }
  }
  const user = existing ?? (await addUser(trx, link, person, email));
  const times = { createdAt: at, lastUsedAt: at };
  await insertIdentity(trx, { id: identityId, userId: user.id, issuer, subject, email, ...times });
  const actor = { userId: user.id, email: user.email, tokenId: null, via: "session", ip } as const;
  await recordChange(
    trx,
    { id: changeId, changedAt: at, actor },
    {
      action: existing === null ? "user.create" : "user.link",
      kind: "user",
      id: user.id,
      name: user.email,
      detail: { issuer, status: user.status },
    },
  );
  return user;
}

function addUser(
  trx: Transaction,
  { newUserId: id, newUsers: status, at: createdAt }: FirstLink,
  person: Person,
  email: string,
): Promise<User> {
  const name = person.name ?? email.slice(0, email.lastIndexOf("@"));
  return insertUser(trx, { id, email, name, role: "user", status, tags: [], createdAt });
}

function checkStatus({ status }: User): void {
  if (status !== "disabled") return;
  throw new HubError("forbidden", "Your account on this hub is disabled. Ask an admin.", {
    detail: { reason: "user_disabled" },
  });
}

/** A one-time password is for the first sign-in. After it, only an attacker would use it. */
async function endOneTimePassword(trx: Transaction, { id }: User, at: number): Promise<void> {
  if ((await findPassword(trx, id))?.mustChange !== true) return;
  await setPassword(trx, id, { hash: null, mustChange: false }, at);
}

function toUnverified(): HubError {
  return new HubError(
    "forbidden",
    "Your provider has not verified your e-mail address. Verify the address there, then sign in again.",
    { detail: { reason: "email_not_verified" } },
  );
}
