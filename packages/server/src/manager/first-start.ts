import { createPersonalToken } from "../identity/personal-token.ts";
import type { Store } from "../store/open-store.ts";
import { findSetting, putSetting } from "../store/settings.ts";
import { insertToken } from "../store/tokens.ts";
import { insertUser, listUsers } from "../store/users.ts";

const startedSetting = "first_start_done";

/** The admin made at the first start; `token` is seen here and nowhere else. */
export type FirstAdmin = { email: string; token: string };

/**
 * Makes the first admin and a token for it, once in the life of a data folder: of processes that
 * start together one gets it. Null ever after, and where an admin was made by hand before.
 */
export function makeFirstAdmin({ store }: { store: Store }): Promise<FirstAdmin | null> {
  return store.transaction(async (trx) => {
    if ((await findSetting(trx, startedSetting)) !== null) return null;
    await putSetting(trx, startedSetting, "1");
    if ((await listUsers(trx)).some((user) => user.role === "admin")) return null;

    const admin = await insertUser(trx, {
      email: "admin@localhost",
      name: "Admin",
      role: "admin",
      status: "active",
      tags: [],
    });
    const { token, tokenHash, lastFour } = createPersonalToken();
    const values = { userId: admin.id, name: "first start", tokenHash, lastFour, expiresAt: null };
    await insertToken(trx, values);
    return { email: admin.email, token };
  });
}
