import type { RefusedSignIns } from "@hub/contract/refused-sign-ins.ts";
import { listFailedAccounts, toAccountHash } from "../../identity/sign-in-throttle.ts";
import { listUserPage } from "../../store/users/users-table.ts";
import type { ServiceDeps } from "../service-deps.ts";

/** Fewer are typing errors. */
const refusedMin = 5;
const usersMax = 20;
const usersAtOnce = 500;

/**
 * Sign-ins by password that were refused in the last day. Attempts that the limits of guessing have
 * stopped are not counted.
 */
export async function listRefusedSignIns({
  store,
  now,
}: Pick<ServiceDeps, "store" | "now">): Promise<RefusedSignIns> {
  const { accounts, refused } = await listFailedAccounts(store.db, { at: now() });
  const byHash = new Map(accounts.map((account) => [account.hash, account]));
  const users: RefusedSignIns["users"] = [];
  let ofUsers = 0;
  // The counters have hashes only, because a password may have been typed in the place of an e-mail.
  for (let after: string | undefined; byHash.size > 0; ) {
    const page = await listUserPage(store.db, { after, limit: usersAtOnce });
    for (const { id, email } of page) {
      const found = byHash.get(toAccountHash(email));
      if (found === undefined) continue;
      ofUsers += found.refused;
      if (found.refused < refusedMin) continue;
      users.push({ id, email, refused: found.refused });
    }
    if (page.length < usersAtOnce) break;
    after = page.at(-1)?.email;
  }
  return {
    users: users.sort((one, other) => other.refused - one.refused).slice(0, usersMax),
    unknown: Math.max(0, refused - ofUsers),
  };
}
