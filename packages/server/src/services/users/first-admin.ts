import { recordChange, stampChange } from "../../changes/record-change.ts";
import { commandLineActor } from "../../identity/local-admin.ts";
import { createOneTimePassword } from "../../identity/password-hashes.ts";
import { createPersonalToken } from "../../identity/personal-token.ts";
import { transaction } from "../../store/database/database.ts";
import { claimSetting, findSetting } from "../../store/settings/settings-table.ts";
import { setPassword } from "../../store/users/passwords-table.ts";
import { insertToken } from "../../store/users/tokens-table.ts";
import { insertUser, listUsers } from "../../store/users/users-table.ts";
import type { ServiceDeps } from "../service-deps.ts";

const startedSetting = "first_start_done";

type FirstStartDeps = Pick<ServiceDeps, "store" | "now" | "passwords">;

/** The admin of the first start. Token and password are shown only here. */
export type FirstAdmin = { email: string; token: string; one_time_password: string };

/**
 * Makes the first admin and its token, once for each data folder: of several processes that start
 * together, only one gets it. Null at later starts, and if an admin exists already.
 */
export async function makeFirstAdmin({
  store,
  now,
  passwords,
}: FirstStartDeps): Promise<FirstAdmin | null> {
  // Most starts end here, before an expensive password hash.
  if ((await findSetting(store.db, startedSetting)) !== null) return null;
  const password = createOneTimePassword();
  const hash = await passwords.hash(password, { owner: "hub", lane: "admins" });
  const { token, tokenHash, lastFour } = createPersonalToken();
  const [userId, tokenId] = [crypto.randomUUID(), crypto.randomUUID()];
  const createdAt = now();
  const userStamp = stampChange(commandLineActor, createdAt);
  const tokenStamp = stampChange(commandLineActor, createdAt);
  return transaction(store.db, async (trx) => {
    if (!(await claimSetting(trx, startedSetting, "1"))) return null;
    if ((await listUsers(trx)).some((user) => user.role === "admin")) return null;

    const { email, role, tags } = await insertUser(trx, {
      id: userId,
      email: "admin@localhost",
      name: "Admin",
      role: "admin",
      status: "active",
      tags: [],
      createdAt,
    });
    await setPassword(trx, userId, { hash, mustChange: true }, createdAt);
    await recordChange(trx, userStamp, {
      action: "user.create",
      kind: "user",
      id: userId,
      name: email,
      detail: { role, tags },
    });
    // Users paste this token into client settings, so it must not manage the hub.
    const { name, scope } = await insertToken(trx, {
      id: tokenId,
      userId,
      name: "first start",
      scope: "mcp",
      tokenHash,
      lastFour,
      createdAt,
      expiresAt: null,
    });
    await recordChange(trx, tokenStamp, {
      action: "token.create",
      kind: "token",
      id: tokenId,
      name,
      detail: { user: email, scope },
    });
    return { email, token, one_time_password: password };
  });
}
