import { authenticateBearer, authenticatePersonalToken } from "../identity/authenticate-bearer.ts";
import { createSessions } from "../identity/browser-sessions.ts";
import { createKnownBrowsers } from "../identity/known-browsers.ts";
import type { Passwords } from "../identity/password-hashes.ts";
import { createSignIn } from "../identity/sign-in.ts";
import { createSignInThrottle } from "../identity/sign-in-throttle.ts";
import type { TokenUses } from "../identity/token-uses.ts";
import { traceCallers } from "../identity/trace-callers.ts";
import type { Tracing } from "../lib/tracing/tracing.ts";
import type { RingHolder } from "../secrets/keys/ring-holder.ts";
import type { Store } from "../store/store.ts";

type IdentityParts = {
  store: Store;
  ring: RingHolder;
  passwords: Passwords;
  uses: TokenUses;
  tracing: Tracing | null;
  now: () => number;
};

/** How callers and users of a server say who they are: tokens, sessions and passwords. */
export function openIdentity({ store, ring, passwords, uses, tracing, now }: IdentityParts) {
  const { db, reads } = store;
  const bearer = { reads, now, recordUse: uses.record };
  const callers = traceCallers(
    {
      authenticate: (token, from) => authenticateBearer(bearer, token, from),
      authenticatePersonalToken: (token) => authenticatePersonalToken(bearer, token),
      sessions: createSessions({ db, now }),
    },
    tracing,
  );
  const knownBrowsers = createKnownBrowsers({ db, ring, now });
  const signIn = createSignIn({
    db,
    now,
    sessions: callers.sessions,
    passwords,
    throttle: createSignInThrottle({ db, now }),
    knownBrowsers,
  });
  return { ...callers, bearer, knownBrowsers, signIn };
}
