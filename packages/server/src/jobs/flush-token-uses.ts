import type { Db } from "../store/database/database.ts";
import { touchOAuthGrants } from "../store/oauth/oauth-grants.ts";
import { touchTokens } from "../store/users/tokens-table.ts";
import type { Job } from "./create-jobs.ts";

const lookMs = 2_000;
/** Looks between two writes of later uses. */
const looksPerFlush = 15;

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

type JobDeps = FlushDeps & { uses: { hasFirst(): boolean } };

/** Writes the first use of a token soon, for a user who watches a client connect. */
export function createTokenUseJob({ db, uses }: JobDeps): Job {
  let looks = 0;
  return {
    name: "token-uses",
    everyMs: lookMs,
    runsAtStart: false,
    async run() {
      looks += 1;
      if (!uses.hasFirst() && looks < looksPerFlush) return;
      looks = 0;
      await flushTokenUses({ db, uses });
    },
  };
}
