import type { Db } from "../store/database.ts";
import { touchOAuthGrants } from "../store/oauth-grants.ts";
import { touchTokens } from "../store/tokens.ts";
import type { Job } from "./create-jobs.ts";

const flushMs = 30_000;

type FlushDeps = {
  db: Db;
  uses: { take(): Array<{ id: string; at: number }> };
};

/** Writes the last uses of tokens in one batch, so that calls need no extra write. */
export async function flushTokenUses({ db, uses }: FlushDeps): Promise<void> {
  const taken = uses.take();
  if (taken.length === 0) return;
  // An id belongs to a personal token or an OAuth grant; each update ignores ids of the other.
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
