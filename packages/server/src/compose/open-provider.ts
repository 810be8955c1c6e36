import type { Config } from "../config.ts";
import type { SignInFollowing } from "../identity/sso/follow-sign-in.ts";
import type { ProviderClient } from "../identity/sso/provider-client.ts";
import type { ProviderWatch } from "../identity/sso/watch-provider.ts";
import type { Job } from "../jobs/create-jobs.ts";
import type { Log } from "../lib/logs/create-log.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { Store } from "../store/store.ts";

type ProviderParts = {
  config: Config;
  store: Store;
  ring: RingHolder;
  log: Log;
  now: () => number;
};

/** How the hub follows the users of the single sign-on provider. */
export type OpenedProvider = {
  client: ProviderClient;
  /** Both null if the hub reads no groups, and a logout at the provider ends browser sessions only. */
  following: SignInFollowing | null;
  watch: ProviderWatch | null;
  jobs: Job[];
};

/** Null without a provider: then none of its code is loaded. */
export async function openProvider(parts: ProviderParts): Promise<OpenedProvider | null> {
  const { config, store, ring, log, now } = parts;
  const { oidcIssuer: issuer, oidcClientId: clientId } = config;
  if (issuer === null || clientId === null) return null;
  const { createProviderClient } = await import("../identity/sso/provider-client.ts");
  const settings = { issuer, clientId, readClientSecret: config.readOidcClientSecret };
  const { ssoGroupsClaim: groupsClaim, ssoRequiredGroup: requiredGroup } = config;
  const client = createProviderClient({ settings, groupsClaim, now });
  if (groupsClaim === null && config.ssoLogout === "sessions") {
    return { client, following: null, watch: null, jobs: [] };
  }
  const { followSignIns } = await import("../identity/sso/follow-sign-in.ts");
  const { refreshUser } = await import("../identity/sso/follow-provider.ts");
  const { watchProvider } = await import("../identity/sso/watch-provider.ts");
  const { db } = store;
  const follow = { db, now, ring, client, requiredGroup, ended: config.ssoEnded, log };
  const watch = watchProvider({
    db,
    now,
    issuer,
    name: config.oidcName,
    refresh: (session) => refreshUser(follow, session),
    staleMs: config.ssoStaleMinutes * 60_000,
  });
  const forget = (userId: string) => watch.forget(userId);
  return {
    client,
    following: followSignIns({ ring, requiredGroup, forget }),
    watch,
    jobs: [
      { name: "refresh-provider-users", everyMs: 2_000, runsAtStart: false, run: watch.refreshDue },
    ],
  };
}
