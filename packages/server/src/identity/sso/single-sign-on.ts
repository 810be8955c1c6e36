import type { Db } from "../../store/database/database.ts";
import type { Sessions } from "../browser-sessions.ts";
import type { Visitor } from "../sign-in.ts";
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
};

/** The path to which the provider redirects browsers. */
export const ssoCallbackPath = "/auth/sso/callback";

export type SingleSignOn = {
  name: string;
  begin: RelyingParty["begin"];
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
    async finish(search, cookie, visitor) {
      const { person, destination } = await relyingParty.finish(search, cookie);
      const session = sessions.prepare(visitor);
      await linkAccount(deps, person, visitor, (trx, user) => session.begin(trx, user.id));
      return { token: session.token, destination };
    },
  };
}
