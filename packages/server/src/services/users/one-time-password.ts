import type { OneTimePassword, User } from "@hub/contract/user.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { createOneTimePassword } from "../../identity/password-hashes.ts";
import { liftSignInLimits } from "../../identity/sign-in-throttle.ts";
import { transaction } from "../../store/database/database.ts";
import { setPassword } from "../../store/users/passwords-table.ts";
import { deleteSessionsOf } from "../../store/users/sessions-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { checkGivesAccess } from "./check-gives-access.ts";
import { loadPerson, loadUser } from "./load-user.ts";
import { showUser } from "./manage-users.ts";

type PasswordDeps = Pick<ServiceDeps, "store" | "now" | "passwords">;

/** Sets a new one-time password, which must be changed at sign-in, and ends the user's sessions. */
export async function setOneTimePassword(
  { store, now, passwords }: PasswordDeps,
  actor: Actor,
  userId: string,
): Promise<OneTimePassword> {
  checkGivesAccess(actor);
  const password = createOneTimePassword();
  // Each user is an owner, so that an admin can make many passwords at once.
  const place = { owner: userId, area: actor.userId, lane: "admins" } as const;
  const hash = await passwords.hash(password, place);
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const { id, email } = await loadPerson(trx, userId);
    await setPassword(trx, id, { hash, mustChange: true }, stamp.changedAt);
    await deleteSessionsOf(trx, id);
    await liftSignInLimits(trx, email);
    await recordChange(trx, stamp, { action: "user.password", kind: "user", id, name: email });
    return { email, one_time_password: password };
  });
}

/** Clears the counters of wrong passwords, so that the user can sign in at once. */
export async function unlockUser(
  deps: Pick<PasswordDeps, "store" | "now">,
  actor: Actor,
  userId: string,
): Promise<User> {
  const stamp = stampChange(actor, deps.now());
  await transaction(deps.store.db, async (trx) => {
    const { id, email } = await loadUser(trx, userId);
    await liftSignInLimits(trx, email);
    await recordChange(trx, stamp, { action: "user.unlock", kind: "user", id, name: email });
  });
  return await showUser(deps, userId);
}
