import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import { HubError } from "../../errors.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import { askUserInfo, lacksGroups } from "./ask-user-info.ts";
import { type IssuerSettings, openIssuer, toUnreachable } from "./open-issuer.ts";
import { type EmailTrust, type Person, toPerson } from "./person.ts";
import { type Attempt, attemptMsMax, findAttempt, sealAttempt } from "./sealed-attempt.ts";
import { readSessionThere, type SessionThere } from "./session-there.ts";
import { createUsedAttempts } from "./used-attempts.ts";

type RelyingPartyDeps = {
  settings: IssuerSettings;
  /** The URL to which the issuer redirects browsers. */
  redirectUri: string;
  /** Scopes beside those of every sign-in. */
  scopes: readonly string[];
  /** The claim with the groups. Null: groups are not read. */
  groupsClaim: string | null;
  ring: Pick<RingHolder, "current">;
  now: () => number;
  log: Pick<Log, "warn">;
} & EmailTrust;

export type RelyingParty = {
  /**
   * The URL for the browser, and the cookie that it needs to come back. With `isFresh`, the person must enter there again who they
   * are.
   */
  begin(given: {
    destination: string;
    isFresh?: boolean;
  }): Promise<{ url: string; cookie: string }>;
  /** Returns the person of this query and cookie. Throws `forbidden` if they are not valid. */
  finish(
    search: string,
    cookie: string | null,
  ): Promise<{ person: Person; there: SessionThere; destination: string }>;
};

/** The hub as an OpenID Connect client: the authorization code flow with PKCE, state and nonce. */
export function createRelyingParty(deps: RelyingPartyDeps): RelyingParty {
  const { redirectUri, ring, now, log } = deps;
  const findIssuer = openIssuer(deps.settings, now);
  const used = createUsedAttempts();

  async function findConfiguration(): Promise<Configuration> {
    try {
      return await findIssuer();
    } catch (thrown) {
      log.warn(describeFailure(Object(thrown).cause), "the OpenID provider could not be reached");
      throw thrown;
    }
  }

  /**
   * Refuses responses of another browser's sign-in (login CSRF), and forged, late or repeated ones.
   */
  function checkAttempt(search: URLSearchParams, cookie: string | null): Attempt {
    const attempt = cookie === null ? null : findAttempt(ring.current(), cookie);
    const isOwn = attempt !== null && search.get("state") === attempt.state;
    if (!isOwn || attempt.begunAt + attemptMsMax <= now() || !used.take(attempt.state)) {
      throw new HubError(
        "forbidden",
        "This sign-in took too long, or was started in another browser or window. Start again here.",
        { detail: { reason: "not_begun_here" } },
      );
    }
    return attempt;
  }

  return {
    async begin({ destination, isFresh = false }) {
      const configuration = await findConfiguration();
      const codeVerifier = randomPKCECodeVerifier();
      const [state, nonce] = [randomState(), randomNonce()];
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: ["openid", "email", "profile", ...deps.scopes].join(" "),
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
        ...(isFresh && { prompt: "login", max_age: "0" }),
      });
      const attempt = { state, nonce, codeVerifier, destination, begunAt: now() };
      const cookie = sealAttempt(ring.current(), { ...attempt, ...(isFresh && { isFresh }) });
      return { url: url.href, cookie };
    },

    async finish(search, cookie) {
      const { destination, ...attempt } = checkAttempt(new URLSearchParams(search), cookie);
      const configuration = await findConfiguration();
      try {
        const answer = new URL(search, redirectUri);
        const { claims, there } = await redeem(configuration, answer, attempt, deps);
        checkFresh(attempt, there);
        return { person: toPerson(claims, deps), there, destination };
      } catch (thrown) {
        log.warn(describeFailure(thrown), "a single sign-on failed");
        throw toRefusal(thrown);
      }
    },
  };
}

/** How far the provider's clock may be behind. */
const behindMsMax = 60_000;

/** A provider may ignore that it was asked for a fresh sign-in. Its session would then prove nothing about who sits there. */
function checkFresh(
  { isFresh, begunAt }: Pick<Attempt, "isFresh" | "begunAt">,
  { provedAt }: SessionThere,
): void {
  if (isFresh !== true || (provedAt !== null && provedAt + behindMsMax >= begunAt)) return;
  throw new HubError(
    "forbidden",
    "The single sign-on provider does not say that you have just signed in there. Ask an admin for a one-time password, and confirm with a password of this hub.",
    { detail: { reason: "not_fresh" } },
  );
}

/** Exchanges the code for the person's claims, and what keeps the hub informed about the session there. */
async function redeem(
  configuration: Configuration,
  answer: URL,
  { state, nonce, codeVerifier }: Pick<Attempt, "state" | "nonce" | "codeVerifier">,
  { groupsClaim }: Pick<RelyingPartyDeps, "groupsClaim">,
): Promise<{ claims: unknown; there: SessionThere }> {
  const tokens = await authorizationCodeGrant(configuration, answer, {
    pkceCodeVerifier: codeVerifier,
    expectedState: state,
    // A response without an ID token, which contains the nonce, is refused.
    expectedNonce: nonce,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("The issuer sent no ID token");
  const ask = () => askUserInfo(configuration, tokens.access_token, claims.sub);
  if (claims.email !== undefined && lacksGroups(claims, groupsClaim)) {
    // Without an answer the groups are not known, and the person is.
    const userInfo = await ask().catch(() => null);
    const there = readSessionThere({ tokens, claims, userInfo, groupsClaim });
    const isFailed =
      userInfo === null && configuration.serverMetadata().userinfo_endpoint !== undefined;
    return { claims, there: isFailed ? { ...there, groups: failed } : there };
  }
  const userInfo = claims.email === undefined ? await ask() : null;
  const there = readSessionThere({ tokens, claims, userInfo, groupsClaim });
  if (claims.email !== undefined || userInfo === null) return { claims, there };
  const { email, email_verified, name } = userInfo;
  return { claims: { ...claims, email, email_verified, name }, there };
}

const failed = { names: null, problem: "failed" } as const;

/** Only the names of errors: their details contain codes and tokens. */
export function describeFailure(thrown: unknown): Record<string, string> {
  const { name, code, error, message } = Object(thrown);
  return { failure: String(name), code: String(code), error: String(error), text: String(message) };
}

function toRefusal(cause: unknown): HubError {
  if (cause instanceof HubError) return cause;
  if (isUnreachable(cause)) return toUnreachable(cause);
  if (cause instanceof AuthorizationResponseError && cause.error === "access_denied") {
    return new HubError("forbidden", "The sign-in was cancelled. Start again, or use a password.", {
      detail: { reason: "stopped_at_issuer" },
    });
  }
  return new HubError(
    "forbidden",
    "The single sign-on provider did not confirm who you are. Start again. If it fails again, ask an admin to read the log.",
    { cause },
  );
}

export function isUnreachable(thrown: unknown): boolean {
  const { code, name } = Object(thrown);
  if (code === "OAUTH_TIMEOUT" || code === "OAUTH_ABORT") return true;
  const { status } = Object(Object(thrown).cause);
  if (typeof status === "number" && status >= 500) return true;
  return /^(ConnectionRefused|ConnectionClosed|FailedToOpenSocket|ECONN\w+|ENOTFOUND)$/.test(
    `${code ?? Object(Object(thrown).cause).code ?? name}`,
  );
}
