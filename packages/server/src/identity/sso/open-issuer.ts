import {
  allowInsecureRequests,
  ClientSecretPost,
  type Configuration,
  discovery,
  enableNonRepudiationChecks,
  None,
} from "openid-client";
import { HubError } from "../../errors.ts";

export type IssuerSettings = {
  issuer: string;
  clientId: string;
  /** The client's secret; null for a public client. A function, so that printing never shows it. */
  readClientSecret: () => string | null;
};

/** How long an issuer's metadata is cached; its keys are read more often. */
const keptMs = 3_600_000;
const timeoutS = 10;

/**
 * Fetches the issuer's endpoints when they are first needed, and again when the cache expires. If
 * the issuer is down, only its sign-in fails, and the next attempt fetches again.
 */
export function openIssuer(settings: IssuerSettings, now: () => number) {
  let known: { configuration: Configuration; at: number } | null = null;
  let asking: Promise<Configuration> | null = null;

  async function ask(): Promise<Configuration> {
    try {
      const configuration = await discover(settings);
      known = { configuration, at: now() };
      return configuration;
    } catch (cause) {
      // Old endpoints are better than none: each response is verified anyway.
      if (known !== null) return known.configuration;
      throw toUnreachable(cause);
    } finally {
      asking = null;
    }
  }

  return async (): Promise<Configuration> => {
    if (known !== null && now() - known.at < keptMs) return known.configuration;
    asking ??= ask();
    return await asking;
  };
}

export function toUnreachable(cause: unknown): HubError {
  return new HubError(
    "upstream_error",
    "The single sign-on provider cannot be reached. Try again later, or sign in with a password.",
    { cause },
  );
}

function discover({ issuer, clientId, readClientSecret }: IssuerSettings): Promise<Configuration> {
  const secret = readClientSecret();
  const isLocal = issuer.startsWith("http:");
  // The signature of the ID token is checked too, though it comes from the issuer itself over TLS.
  const execute = [enableNonRepudiationChecks, ...(isLocal ? [allowInsecureRequests] : [])];
  const authentication = secret === null ? None() : ClientSecretPost(secret);
  return discovery(new URL(issuer), clientId, undefined, authentication, {
    execute,
    timeout: timeoutS,
  });
}
