import type { Config } from "../config.ts";
import type { Sessions } from "../identity/browser-sessions.ts";
import { countSingleSignOn } from "../identity/count-sign-ins.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { Metrics } from "../lib/metrics/metrics.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { Store } from "../store/store.ts";

type SingleSignOnParts = {
  config: Config;
  db: Store["db"];
  sessions: Pick<Sessions, "prepare">;
  ring: RingHolder;
  now: () => number;
  log: Log;
  metrics: Metrics;
};

/** Creates the single sign-on for a base address. Loads its code only if a provider is configured. */
export async function loadSingleSignOn({
  config,
  ring,
  log,
  metrics,
  ...parts
}: SingleSignOnParts) {
  const { oidcIssuer: issuer, oidcClientId: clientId } = config;
  if (issuer === null || clientId === null) return () => null;
  const { createRelyingParty } = await import("../identity/sso/relying-party.ts");
  const { createSingleSignOn, ssoCallbackPath } = await import("../identity/sso/single-sign-on.ts");
  const settings = { issuer, clientId, readClientSecret: config.readOidcClientSecret };
  return (baseUrl: string) => {
    const redirectUri = `${baseUrl}${ssoCallbackPath}`;
    const singleSignOn = createSingleSignOn({
      ...parts,
      name: config.oidcName,
      relyingParty: createRelyingParty({
        settings,
        redirectUri,
        trustsEmail: config.oidcTrustEmail,
        ring,
        log,
        now: parts.now,
      }),
      allowedDomains: config.oidcAllowedDomains,
      newUsers: config.oidcNewUsers,
    });
    return countSingleSignOn({ singleSignOn, issuer, metrics, log });
  };
}
