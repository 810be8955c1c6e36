import type { Db, Transaction } from "../../store/database/database.ts";
import type { User } from "../../store/users/users-table.ts";
import type { Sessions } from "../browser-sessions.ts";
import type { Visitor } from "../sign-in.ts";
import type { SignInFollowing } from "./follow-sign-in.ts";
import { linkAccount } from "./link-account.ts";
import type { RelyingParty } from "./relying-party.ts";

type SingleSignOnDeps = {
  /** The provider's name on the sign-in page. */
  name: string;
  relyingParty: RelyingParty;
  sessions: Pick<Sessions, "prepare">;
  db: Db;
  now: () => number;
  allowedDomains: readonly string[];
  newUsers: "pending" | "active";
  following: SignInFollowing | null;
  endByLogout: SingleSignOn["endByLogout"];
};

/** The path to which the provider redirects browsers. */
export const ssoCallbackPath = "/auth/sso/callback";
/** The path to which the provider sends logout tokens. */
export const ssoLogoutPath = "/auth/sso/logout";

export type SingleSignOn = {
  name: string;
  begin: RelyingParty["begin"];
  /** Ends what a logout token of the provider names. Throws `bad_request` if it is not valid. */
  endByLogout(logoutToken: string): Promise<void>;
  /** Begins a session for the verified person; resolves with its token and the next page. */
  finish(
    search: string,
    cookie: string | null,
    visitor: Visitor,
  ): Promise<{ token: string; destination: string }>;
};

/** Sign-in at the configured provider. */
export function createSingleSignOn(deps: SingleSignOnDeps): SingleSignOn {
  const { name, relyingParty, sessions } = deps;
  return {
    name,
    begin: relyingParty.begin,
    endByLogout: deps.endByLogout,
    async finish(search, cookie, visitor) {
      const { person, there, destination } = await relyingParty.finish(search, cookie);
      const session = sessions.prepare(visitor, there.sid ?? "");
      // Who was signed in there already has proved nothing now.
      const freshAt = Math.min(there.provedAt ?? 0, deps.now());
      const begin = (trx: Transaction, user: User) => session.begin(trx, user.id, { freshAt });
      await linkAccount(deps, person, visitor, begin, there);
      return { token: session.token, destination };
    },
  };
}
