import { createHash } from "node:crypto";
import type { Config } from "../../config.ts";
import type { Transaction } from "../../store/database/database.ts";
import { listSecondFactors } from "../../store/users/second-factors-table.ts";
import type { User } from "../../store/users/users-table.ts";

/** After the right password: the user gives the second factor, or sets one up. */
export type FactorStep = "give" | "set-up";

/** The step that a sign-in with a password needs next; null if there is none. */
export async function findFactorStep(
  trx: Transaction,
  { secondFactor }: Pick<Config, "secondFactor">,
  user: Pick<User, "id" | "role">,
): Promise<FactorStep | null> {
  if ((await listSecondFactors(trx, user.id)).length > 0) return "give";
  return needsFactor({ secondFactor }, user) ? "set-up" : null;
}

/** Whether the hub's operator demands a second factor of this user. */
export function needsFactor(
  { secondFactor }: Pick<Config, "secondFactor">,
  { role }: Pick<User, "role">,
): boolean {
  return secondFactor === "required" || (secondFactor === "admins" && role === "admin");
}

/** A mark of a password's hash, by which a later step sees that it is still the same. */
export function toPasswordMark(hash: string | null): string {
  return createHash("sha256")
    .update(`hub-half-way-v1 ${hash ?? ""}`)
    .digest("base64url");
}
