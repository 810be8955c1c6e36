import { touchOAuthGrants } from "../store/oauth-grants.ts";
import type { Db } from "../store/tables.ts";
import { touchTokens } from "../store/tokens.ts";
import type { Job } from "./create-jobs.ts";

const flushMs = 30_000;

type FlushDeps = {
  db: Db;
  uses: { take(): Array<{ id: string; at: number }> };
};

/** Writes when tokens were last used: in one go, so that a call does not cost a write for it. */
export async function flushTokenUses({ db, uses }: FlushDeps): Promise<void> {
  const taken = uses.take();
  if (taken.length === 0) return;
  // An id is of a personal token or of an OAuth grant; each passes over the other's.
  await touchTokens(db, taken);
  await touchOAuthGrants(db, taken);
}

export function createTokenUseJob(deps: FlushDeps): Job {
  return {
    name: "token-uses",
    everyMs: flushMs,
    runsAtStart: false,
    run: () => flushTokenUses(deps),
  };
}
