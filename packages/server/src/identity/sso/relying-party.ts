import {
  AuthorizationResponseError,
  authorizationCodeGrant,
  buildAuthorizationUrl,
  type Configuration,
  calculatePKCECodeChallenge,
  fetchUserInfo,
  randomNonce,
  randomPKCECodeVerifier,
  randomState,
} from "openid-client";
import { HubError } from "../../errors.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import { type IssuerSettings, openIssuer, toUnreachable } from "./open-issuer.ts";
import { type Person, toPerson } from "./person.ts";
import { type Attempt, attemptMsMax, findAttempt, sealAttempt } from "./sealed-attempt.ts";
import { createUsedAttempts } from "./used-attempts.ts";

type RelyingPartyDeps = {
  settings: IssuerSettings;
  /** The URL to which the issuer redirects browsers. */
  redirectUri: string;
  /** Whether an e-mail counts as verified if the issuer does not say. */
  trustsEmail: boolean;
  ring: Pick<RingHolder, "current">;
  now: () => number;
  log: Pick<Log, "warn">;
};

export type RelyingParty = {
  /** The URL for the browser, and the cookie that it needs to come back. */
  begin(given: { destination: string }): Promise<{ url: string; cookie: string }>;
  /** Returns the person of this query and cookie. Throws `forbidden` if they are not valid. */
  finish(search: string, cookie: string | null): Promise<{ person: Person; destination: string }>;
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
      log.warn(describe(Object(thrown).cause), "the OpenID provider could not be reached");
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
    async begin({ destination }) {
      const configuration = await findConfiguration();
      const codeVerifier = randomPKCECodeVerifier();
      const [state, nonce] = [randomState(), randomNonce()];
      const url = buildAuthorizationUrl(configuration, {
        redirect_uri: redirectUri,
        scope: "openid email profile",
        state,
        nonce,
        code_challenge: await calculatePKCECodeChallenge(codeVerifier),
        code_challenge_method: "S256",
      });
      const attempt = { state, nonce, codeVerifier, destination, begunAt: now() };
      return { url: url.href, cookie: sealAttempt(ring.current(), attempt) };
    },

    async finish(search, cookie) {
      const { destination, ...attempt } = checkAttempt(new URLSearchParams(search), cookie);
      const configuration = await findConfiguration();
      try {
        const answer = new URL(search, redirectUri);
        const claims = await redeem(configuration, answer, attempt);
        return { person: toPerson(claims, deps), destination };
      } catch (thrown) {
        log.warn(describe(thrown), "a single sign-on failed");
        throw toRefusal(thrown);
      }
    },
  };
}

/** Exchanges the code for the person's claims. */
async function redeem(
  configuration: Configuration,
  answer: URL,
  { state, nonce, codeVerifier }: Pick<Attempt, "state" | "nonce" | "codeVerifier">,
): Promise<unknown> {
  const tokens = await authorizationCodeGrant(configuration, answer, {
    pkceCodeVerifier: codeVerifier,
    expectedState: state,
    // A response without an ID token, which contains the nonce, is refused.
    expectedNonce: nonce,
  });
  const claims = tokens.claims();
  if (claims === undefined) throw new Error("The issuer sent no ID token");
  const isComplete = claims.email !== undefined;
  if (isComplete || configuration.serverMetadata().userinfo_endpoint === undefined) {
    return claims;
  }
  const { email, email_verified, name } = await fetchUserInfo(
    configuration,
    tokens.access_token,
    claims.sub,
  );
  return { ...claims, email, email_verified, name };
}

/** Only the names of errors: their details contain codes and tokens. */
function describe(thrown: unknown): Record<string, string> {
  const { name, code, error, message } = Object(thrown);
  return { failure: String(name), code: String(code), error: String(error), text: String(message) };
}

function toRefusal(cause: unknown): HubError {
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

function isUnreachable(thrown: unknown): boolean {
  const { code, name } = Object(thrown);
  if (code === "OAUTH_TIMEOUT" || code === "OAUTH_ABORT") return true;
  const { status } = Object(Object(thrown).cause);
  if (typeof status === "number" && status >= 500) return true;
  return /^(ConnectionRefused|ConnectionClosed|FailedToOpenSocket|ECONN\w+|ENOTFOUND)$/.test(
    `${code ?? Object(Object(thrown).cause).code ?? name}`,
  );
}
