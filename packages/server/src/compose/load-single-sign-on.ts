import type { Config } from "../config.ts";
import type { Sessions } from "../identity/browser-sessions.ts";
import { countSingleSignOn } from "../identity/count-sign-ins.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { Store } from "../store/store.ts";
import type { OpenedProvider } from "./open-provider.ts";

type SingleSignOnParts = {
  config: Config;
  db: Store["db"];
  sessions: Pick<Sessions, "prepare">;
  ring: RingHolder;
  now: () => number;
  log: Log;
  metrics: Metrics;
  provider: OpenedProvider | null;
};

/** Creates the single sign-on for a base address. Loads its code only if a provider is configured. */
export async function loadSingleSignOn({
  config,
  ring,
  log,
  metrics,
  provider,
  ...parts
}: SingleSignOnParts) {
  const { oidcIssuer: issuer, oidcClientId: clientId } = config;
  if (issuer === null || clientId === null || provider === null) return () => null;
  const { createRelyingParty } = await import("../identity/sso/relying-party.ts");
  const { createSingleSignOn, ssoCallbackPath } = await import("../identity/sso/single-sign-on.ts");
  const { createLogout } = await import("../identity/sso/end-by-logout.ts");
  const settings = { issuer, clientId, readClientSecret: config.readOidcClientSecret };
  const forget = (userId: string) => provider.watch?.forget(userId);
  const { client, following } = provider;
  const logout = { issuer, clientId, client, ends: config.ssoLogout, forget, log };
  const endByLogout = createLogout({ ...parts, ...logout });
  return (baseUrl: string) => {
    const redirectUri = `${baseUrl}${ssoCallbackPath}`;
    const singleSignOn = createSingleSignOn({
      ...parts,
      name: config.oidcName,
      relyingParty: createRelyingParty({
        settings,
        redirectUri,
        trustsEmail: config.oidcTrustEmail,
        verifiedDomains: config.ssoVerifiedEmails,
        scopes: config.ssoScopes,
        groupsClaim: config.ssoGroupsClaim,
        ring,
        log,
        now: parts.now,
      }),
      allowedDomains: config.oidcAllowedDomains,
      newUsers: config.oidcNewUsers,
      following,
      endByLogout,
    });
    return countSingleSignOn({ singleSignOn, issuer, metrics, log });
  };
}
