import { type ChangeStamp, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { sealAtRest } from "../../secrets/at-rest/at-rest.ts";
import { toProviderLocation } from "../../secrets/at-rest/secret-locations.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Transaction } from "../../store/database/database.ts";
import { listGroupLines } from "../../store/users/group-lines-table.ts";
import {
  findProviderSession,
  type ProviderSession,
  putProviderSession,
} from "../../store/users/provider-sessions-table.ts";
import type { User } from "../../store/users/users-table.ts";
import { resolveGroups } from "../groups/resolve-groups.ts";
import { lacksGroup, takeReadGroups } from "../groups/take-read-groups.ts";
import { hubActor } from "../local-admin.ts";
import type { Person } from "./person.ts";
import type { SessionThere } from "./session-there.ts";

/** How often a user who calls is confirmed by the provider, at most. */
export const refreshEveryMs = 60_000;

type FollowDeps = {
  ring: Pick<RingHolder, "current">;
  requiredGroup: string | null;
  /** Called after a sign-in, so that what was known of the user is read again. */
  forget(userId: string): void;
};

export type SignInFollowing = {
  /** Made before the transaction of the sign-in, which may run more than once. */
  prepare(person: Person, there: SessionThere, at: number): FollowedSignIn;
};

export type FollowedSignIn = {
  /** Throws `forbidden` for a new person whom the groups refuse, so that no user is made. */
  checkFirst(trx: Transaction): Promise<void>;
  /**
   * Gives what the groups give, and keeps the session there. Returns the user as stored then. Throws `forbidden`, and changes
   * nothing, if the hub requires a group and the provider does not say in which ones the person is.
   */
  take(trx: Transaction, user: User): Promise<User | null>;
  /** Called after the transaction for a user whom the groups refuse, or who is disabled. Throws if it is the groups. */
  refuse(userId: string): Promise<void>;
};

/** What a sign-in at the provider changes for a user: groups, and the session that is followed from then on. */
export function followSignIns(deps: FollowDeps): SignInFollowing {
  return {
    prepare: (person, there, at) => createFollowedSignIn(deps, { person, there, at }),
  };
}

type SignInThere = { person: Person; there: SessionThere; at: number };

function createFollowedSignIn(deps: FollowDeps, given: SignInThere): FollowedSignIn {
  const { person, there, at } = given;
  const stamp: ChangeStamp = stampChange(hubActor, at);
  const sealed = sealRefreshToken(deps, person, there);
  const tokensId = crypto.randomUUID();
  const { groups } = there;
  const { requiredGroup } = deps;
  return {
    async checkFirst(trx) {
      if (groups === null) return;
      if (groups.names === null) {
        if (requiredGroup !== null) throw toMissing();
        return;
      }
      if (lacksGroup(groups.names, requiredGroup)) throw toMissing();
      const { lines } = await listGroupLines(trx);
      const { role } = resolveGroups(lines, [{ kind: "sso", names: groups.names }]);
      if (role === "none") throw toRefused();
    },
    async take(trx, user) {
      const { id: userId } = user;
      // Not known is not a member, and no proof that the person is none: the user stays as it is.
      if (groups?.names === null && requiredGroup !== null) throw toMissing();
      const taken =
        groups === null
          ? user
          : await takeReadGroups(trx, { userId, groups, requiredGroup }, stamp);
      if (taken === null || taken.status === "disabled") return taken;
      const kept = sealed === null ? await findKeptToken(trx, userId, person) : null;
      await putProviderSession(trx, {
        userId,
        issuer: person.issuer,
        subject: person.subject,
        sid: there.sid,
        ...(kept ?? { sealed, tokensId }),
        readAt: at,
        nextAt: at + refreshEveryMs,
        failedSince: null,
        failure: null,
        endedAt: null,
        refusesTokens: false,
      });
      deps.forget(userId);
      return taken;
    },
    async refuse(userId) {
      deps.forget(userId);
      if (groups?.names != null && lacksGroup(groups.names, requiredGroup)) throw toMissing();
    },
  };
}

/**
 * The refresh token of an earlier sign-in of the same person, if the session there has not ended. Providers that give one only at
 * the first consent would otherwise no longer be asked after the second sign-in.
 */
async function findKeptToken(
  trx: Transaction,
  userId: string,
  { issuer, subject }: Pick<Person, "issuer" | "subject">,
): Promise<Pick<ProviderSession, "sealed" | "tokensId"> | null> {
  const before = await findProviderSession(trx, userId);
  const isSame = before !== null && before.issuer === issuer && before.subject === subject;
  if (!isSame || before.endedAt !== null) return null;
  return { sealed: before.sealed, tokensId: before.tokensId };
}

/** The randomness of sealing must not differ when a transaction runs again. */
function sealRefreshToken(
  { ring }: FollowDeps,
  person: Person,
  { readRefreshToken }: SessionThere,
): Uint8Array | null {
  if (readRefreshToken === null) return null;
  return sealAtRest(ring.current(), toProviderLocation(person), readRefreshToken());
}

function toMissing(): HubError {
  return new HubError(
    "forbidden",
    "This hub is for members of a group of your organization, and your provider does not name it for you. Ask an admin of your organization.",
    { detail: { reason: "required_group_missing" } },
  );
}

function toRefused(): HubError {
  return new HubError(
    "forbidden",
    "A group that you are in has no access to this hub. Ask an admin of the hub.",
    { detail: { reason: "refused_by_group" } },
  );
}
