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
import { findPreparedIssuer, removePreparedUser } from "../../store/users/prepared-users-table.ts";
import { setOrigin } from "../../store/users/user-origins.ts";
import {
  findUserByEmail,
  findUserById,
  insertUser,
  type User,
} from "../../store/users/users-table.ts";
import type { SignInFollowing } from "./follow-sign-in.ts";
import type { Person } from "./person.ts";
import type { SessionThere } from "./session-there.ts";

type LinkDeps = {
  db: Db;
  now: () => number;
  /** In lower case; an empty list allows all. */
  allowedDomains: readonly string[];
  /** The status of new users. */
  newUsers: "pending" | "active";
  /** Null if the hub follows neither groups nor sessions at the provider. */
  following: SignInFollowing | null;
};

type Visit = { ipAddress: string | null };

/**
 * The hub's user for a person of the issuer: the linked user, the user with the person's verified
 * e-mail, or a new user. What the person's groups give, and the user's session, begin in the same transaction.
 * Throws `forbidden` for a person without access; what the groups took from a known user is stored then, too.
 */
export async function linkAccount(
  deps: LinkDeps,
  person: Person,
  visit: Visit,
  beginSession: (trx: Transaction, user: User) => Promise<void>,
  there: SessionThere = unknownThere,
): Promise<User> {
  checkDomain(deps, person);
  const firstLink = prepareFirstLink(deps, visit);
  const { at } = firstLink;
  const followed = deps.following?.prepare(person, there, at) ?? null;
  const linked = await transaction(deps.db, async (trx) => {
    const known = await findIdentity(trx, person);
    if (known === null) await followed?.checkFirst(trx);
    const found =
      known === null
        ? await linkFirst(trx, firstLink, person)
        : await findUserById(trx, known.userId);
    if (found === null) throw new Error("An identity has lost its user");
    if (known === null) checkStatus(found);
    const user = (await followed?.take(trx, found)) ?? found;
    if (user.status === "disabled") return { user, isRefused: true };
    if (known !== null) {
      const email = person.email ?? known.email;
      await touchIdentity(trx, known.id, { email, lastUsedAt: at });
    }
    await endOneTimePassword(trx, user, at);
    await beginSession(trx, user);
    return { user, isRefused: false };
  });
  if (!linked.isRefused) return linked.user;
  await followed?.refuse(linked.user.id);
  throw toDisabled();
}

const unknownThere: SessionThere = {
  sid: null,
  provedAt: null,
  groups: null,
  readRefreshToken: null,
};

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
    await endPreparation(trx, existing, issuer);
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

/** A prepared user is linked once, and only by the issuer that the admin named. */
async function endPreparation(
  trx: Transaction,
  { id, email }: User,
  issuer: string,
): Promise<void> {
  const named = await findPreparedIssuer(trx, id);
  if (named === null) return;
  if (named !== issuer) {
    throw new HubError(
      "forbidden",
      `The user ${email} of this hub was prepared for another provider. Ask an admin.`,
      { detail: { reason: "prepared_for_another_issuer" } },
    );
  }
  await removePreparedUser(trx, id);
  await setOrigin(trx, id, "sso");
}

function addUser(
  trx: Transaction,
  { newUserId: id, newUsers: status, at: createdAt }: FirstLink,
  person: Person,
  email: string,
): Promise<User> {
  const name = person.name ?? email.slice(0, email.lastIndexOf("@"));
  const origin = "sso";
  return insertUser(trx, { id, email, name, role: "user", status, tags: [], createdAt, origin });
}

function checkStatus({ status }: User): void {
  if (status === "disabled") throw toDisabled();
}

function toDisabled(): HubError {
  return new HubError("forbidden", "Your account on this hub is disabled. Ask an admin.", {
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
