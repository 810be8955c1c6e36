import { type Configuration, refreshTokenGrant } from "openid-client";
import type { ReadGroups } from "../groups/read-group-claim.ts";
import { askUserInfo, type Claims, lacksGroups } from "./ask-user-info.ts";
import { type IssuerSettings, openIssuer } from "./open-issuer.ts";
import { readGroups } from "./session-there.ts";

/** What the provider says of a session there. */
export type Refreshed =
  | {
      kind: "confirmed";
      /** The next refresh token; null to keep the one before. */
      readRefreshToken: (() => string) | null;
      /**
       * Asks for the groups, at `/userinfo` if the ID token lacks them. Null if the hub reads none, or the provider answers
       * with neither.
       */
      readGroups(): Promise<ReadGroups | null>;
    }
  /** The provider no longer confirms the user: disabled, deleted, logged out or expired. */
  | { kind: "ended"; reason: string }
  /** The provider could not be asked, or it refused the hub. This says nothing of the user. */
  | { kind: "failed"; reason: string };

type ClientDeps = {
  settings: IssuerSettings;
  groupsClaim: string | null;
  now: () => number;
};

export type ProviderClient = ReturnType<typeof createProviderClient>;

/** The hub at the provider for users who have signed in: refreshes of their tokens, and the provider's metadata. */
export function createProviderClient({ settings, groupsClaim, now }: ClientDeps) {
  const findIssuer = openIssuer(settings, now);

  async function refresh(subject: string, refreshToken: string): Promise<Refreshed> {
    try {
      const configuration = await findIssuer();
      const tokens = await refreshTokenGrant(configuration, refreshToken);
      const claims = tokens.claims() ?? null;
      // OpenID Connect Core 12.2: the new ID token is of the same user.
      if (claims !== null && claims.sub !== subject) {
        return { kind: "failed", reason: "The provider answered for another user" };
      }
      const next = tokens.refresh_token;
      return {
        kind: "confirmed",
        readRefreshToken: next === undefined || next === refreshToken ? null : () => next,
        readGroups: () =>
          askGroups(configuration, { accessToken: tokens.access_token, subject, claims }),
      };
    } catch (thrown) {
      return toOutcome(thrown);
    }
  }

  async function askGroups(
    configuration: Configuration,
    given: { accessToken: string; subject: string; claims: Claims | null },
  ): Promise<ReadGroups | null> {
    const { accessToken, subject, claims } = given;
    if (groupsClaim === null) return null;
    if (claims !== null && !lacksGroups(claims, groupsClaim)) {
      return readGroups({ claims, userInfo: null, groupsClaim });
    }
    try {
      const userInfo = await askUserInfo(configuration, accessToken, subject);
      return readGroups({ claims, userInfo, groupsClaim });
    } catch {
      // What the ID token lacks could be at `/userinfo`, so its failure is not "no groups".
      return { names: null, problem: "failed" };
    }
  }

  return { findIssuer, refresh };
}

/** `invalid_grant` is about the user's session. All other errors are about the hub, its settings or the network. */
function toOutcome(thrown: unknown): Refreshed {
  const { error, error_description: description, name } = Object(thrown);
  if (error === "invalid_grant") return { kind: "ended", reason: toReason(description, error) };
  return { kind: "failed", reason: toReason(error, name) };
}

const reasonCharsMax = 200;

/** Texts of the provider are shown to admins, cut. */
function toReason(given: unknown, otherwise: unknown): string {
  const text = typeof given === "string" && given !== "" ? given : String(otherwise);
  return text.replace(/[^\x20-\x7e]+/g, " ").slice(0, reasonCharsMax);
}
