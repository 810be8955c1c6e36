import type { Actor } from "../changes/actor.ts";
import type { Config } from "../config.ts";
import { HubError } from "../errors.ts";

/** The page on which the user of a session proves again who they are. */
export const freshSignInPath = "/auth/fresh";

/**
 * What a fresh sign-in is asked for. `factors`: changes of one's own second factors, always. `access`: changes of who has
 * access, by a setting. `decisions`: on calls and approvals, by another setting.
 */
export type FreshNeed = "factors" | "access" | "decisions";

/** Where no setting says how long: what protects a stolen session must not be longer. */
const defaultMinutes = 5;
const minuteMs = 60_000;
/** How far another server's clock may be ahead. */
const aheadMsMax = minuteMs;

/** Asks for fresh sign-ins. Every door that changes access or decides uses `check`. */
export type FreshSignIn = {
  /** Whether a proof of this time (epoch ms) is enough. */
  isFresh(freshAt: number, need: FreshNeed): boolean;
  /**
   * Throws `fresh_sign_in_required` unless the actor may go on: the user of a session who proved lately who they are, or the
   * command line, whose users can read the database anyway. A token or a chat account cannot prove it.
   */
  check(actor: Pick<Actor, "via" | "tokenId" | "freshAt">, need: FreshNeed): void;
};

export function createFreshSignIn({
  config,
  now,
}: {
  config: Pick<Config, "freshSignIn" | "freshDecisions">;
  now: () => number;
}): FreshSignIn {
  const lastsMs = (config.freshSignIn === 0 ? defaultMinutes : config.freshSignIn) * minuteMs;
  const isAsked = (need: FreshNeed): boolean => {
    if (need === "factors") return true;
    return need === "access" ? config.freshSignIn > 0 : config.freshDecisions;
  };
  const isFresh = (freshAt: number, need: FreshNeed): boolean =>
    !isAsked(need) || (freshAt + lastsMs > now() && freshAt <= now() + aheadMsMax);
  return {
    isFresh,
    check({ via, tokenId, freshAt = 0 }, need) {
      if (!isAsked(need) || via === "command line" || via === "hub") return;
      if (via === "session" && tokenId === null && isFresh(freshAt, need)) return;
      throw refuse(via === "session");
    },
  };
}

function refuse(isSession: boolean): HubError {
  const message = isSession
    ? `Confirm first that it is you: open ${freshSignInPath}, then try again.`
    : "This needs a fresh sign-in. Sign in with a browser and do it there.";
  return new HubError("fresh_sign_in_required", message, { detail: { address: freshSignInPath } });
}
