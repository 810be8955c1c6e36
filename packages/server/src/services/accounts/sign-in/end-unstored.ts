import type { Attempt } from "../../../bridges/mcp/oauth/connection-secrets.ts";
import type { FinishedConnect } from "../../../bridges/mcp/oauth/finish-sign-in.ts";
import { toAccountLocation } from "../../../secrets/at-rest/secret-locations.ts";
import type { AccountConnect } from "../../../store/accounts/account-connects.ts";
import { putEnding } from "../../../store/accounts/account-endings.ts";
import { readOwnAccounts } from "../../../store/accounts/user-accounts-table.ts";
import { storeSecrets } from "../../../store/settings/store-secrets.ts";
import type { ConnectDeps } from "../../rows/connection/load-connectable.ts";

/**
 * Records that the tokens of a sign-in are to be ended outside, because they could not be stored as an account. Some providers end
 * all tokens of a person at once, so those of a person who may have another account in the row are left to expire.
 */
export async function endUnstored(
  { store, ring, now }: Pick<ConnectDeps, "store" | "ring" | "now">,
  {
    taken: { userId, rowId },
    attempt,
    finished,
  }: { taken: AccountConnect; attempt: Attempt; finished: FinishedConnect },
): Promise<void> {
  const { sealTokens } = await import("../../../bridges/mcp/oauth/connection-secrets.ts");
  const owner = { id: crypto.randomUUID(), userId, rowId };
  const secrets = { ...finished.secrets, address: attempt.address };
  const at = now();
  await storeSecrets(
    { store, ring },
    (keys) => sealTokens(keys, toAccountLocation(owner), secrets),
    async (trx, sealed) => {
      const { accounts } = await readOwnAccounts(trx, owner);
      const mayBeUsed = accounts.some(
        ({ kind, identity }) =>
          kind === "oauth" &&
          (identity === null || finished.identity === null || identity === finished.identity),
      );
      if (!mayBeUsed) await putEnding(trx, { ...owner, sealed }, at);
    },
  );
}
