import type { Db } from "../../store/tables.ts";
import type { Sessions } from "../sessions.ts";
import type { Visitor } from "../sign-in.ts";
import { linkAccount } from "./link-account.ts";
import type { RelyingParty } from "./relying-party.ts";

type SingleSignOnDeps = {
  /** What the sign-in page calls it. */
  name: string;
  relyingParty: RelyingParty;
  sessions: Pick<Sessions, "open">;
  db: Db;
  now: () => number;
  allowedDomains: readonly string[];
  newUsers: "pending" | "active";
};

/** Where the provider sends browsers back to. */
export const ssoCallbackPath = "/auth/sso/callback";

export type SingleSignOn = {
  name: string;
  begin: RelyingParty["begin"];
  /** Begins a session for who came back; resolves with its token, and where to go on. */
  finish(
    search: string,
    cookie: string | null,
    visitor: Visitor,
  ): Promise<{ token: string; destination: string }>;
};

/** Signing in at the provider that the settings name. */
export function createSingleSignOn(deps: SingleSignOnDeps): SingleSignOn {
  const { name, relyingParty, sessions } = deps;
  return {
    name,
    begin: relyingParty.begin,
    async finish(search, cookie, visitor) {
      const { person, destination } = await relyingParty.finish(search, cookie);
      const user = await linkAccount(deps, person, visitor);
      const { token } = await sessions.open({ userId: user.id, ...visitor });
      return { token, destination };
    },
  };
}
