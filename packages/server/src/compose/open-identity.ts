import type { Config } from "../config.ts";
import {
  authenticateBearer,
  authenticatePersonalToken,
  type RequestAddress,
} from "../identity/authenticate-bearer.ts";
import { createSessions } from "../identity/browser-sessions.ts";
import { guardCallers } from "../identity/guard-callers.ts";
import { createKnownBrowsers } from "../identity/known-browsers.ts";
import type { Passwords } from "../identity/password-hashes.ts";
import { demandFactors } from "../identity/second-factor/demand-factors.ts";
import { createSignIn } from "../identity/sign-in.ts";
import { createSignInThrottle } from "../identity/sign-in-throttle.ts";
import type { ProviderWatch } from "../identity/sso/watch-provider.ts";
import type { TokenUses } from "../identity/token-uses.ts";
import { traceCallers } from "../identity/trace-callers.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { Store } from "../store/store.ts";

type IdentityParts = {
  config: Pick<Config, "secondFactor">;
  store: Store;
  ring: RingHolder;
  passwords: Passwords;
  uses: TokenUses;
  tracing: Tracing | null;
  /** Null if users are not followed at a provider. */
  watch: Pick<ProviderWatch, "admit"> | null;
  now: () => number;
};

/** How callers and users of a server say who they are: tokens, sessions and passwords. */
export function openIdentity({
  config,
  store,
  ring,
  passwords,
  uses,
  tracing,
  watch,
  now,
}: IdentityParts) {
  const { db, reads } = store;
  const bearer = { reads, now, recordUse: uses.record };
  const doors = {
    authenticate: (token: string, from: RequestAddress) => authenticateBearer(bearer, token, from),
    authenticatePersonalToken: (token: string) => authenticatePersonalToken(bearer, token),
    sessions: createSessions({ db, now }),
  };
  const demanded = demandFactors(guardCallers(doors, watch), { db, config });
  const callers = traceCallers(demanded, tracing);
  const knownBrowsers = createKnownBrowsers({ db, ring, now });
  const throttle = createSignInThrottle({ db, now });
  const { sessions } = callers;
  const signIn = createSignIn({
    db,
    now,
    sessions,
    passwords,
    throttle,
    knownBrowsers,
    secondFactor: config.secondFactor,
  });
  const factorSignIn = { db, ring, now, throttle, sessions, knownBrowsers, config };
  return { ...callers, bearer, knownBrowsers, signIn, factorSignIn };
}
