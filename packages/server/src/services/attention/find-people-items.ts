import type { AttentionItem } from "@hub/contract/attention.ts";
import type { Caller } from "../../caller.ts";
import { listTokens } from "../../store/users/tokens-table.ts";
import { countUsersByStatus } from "../../store/users/users-table.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { listRefusedSignIns } from "../users/list-refused-sign-ins.ts";
import { toItem } from "./attention-item.ts";

type PeopleDeps = Pick<ServiceDeps, "store" | "now">;

/** Fewer sign-ins with e-mails of no user are typing errors. */
const unknownMin = 20;
/** How long before its end a token is named. */
const tokenMsMin = 7 * 24 * 60 * 60 * 1000;

/** Users that wait for an admin. For admins. */
export async function findUserItems({ store }: PeopleDeps): Promise<AttentionItem[]> {
  const counts = await countUsersByStatus(store.db, { status: "pending" });
  const waiting = counts.get("pending") ?? 0;
  if (waiting === 0) return [];
  const name = waiting === 1 ? "1 user" : `${waiting} users`;
  const text = `${waiting === 1 ? "Waits" : "Wait"} for an admin to approve the account.`;
  const subject = { kind: "user", id: null, name } as const;
  return [toItem("user_waiting", subject, text, { path: "/admin/users?status=pending" })];
}

/** Refused sign-ins of the last day. For admins. */
export async function findSignInItems(deps: PeopleDeps): Promise<AttentionItem[]> {
  const { users, unknown } = await listRefusedSignIns(deps);
  const items = users.map(({ id, email, refused }) =>
    toItem(
      "sign_ins_refused",
      { kind: "user", id, name: email },
      `${refused} sign-ins of this user were refused in the last day. Ask whether they were the user's own.`,
      { path: `/admin/users/${id}` },
    ),
  );
  if (unknown < unknownMin) return items;
  const subject = { kind: "user", id: null, name: "Unknown users" } as const;
  const text = `${unknown} sign-ins with e-mails of no user were refused in the last day.`;
  return [...items, toItem("sign_ins_refused", subject, text, { path: "/admin/users" })];
}

/** The caller's own tokens that end soon. */
export async function findTokenItems(
  { store, now }: PeopleDeps,
  { userId }: Caller,
): Promise<AttentionItem[]> {
  const at = now();
  // A user has at most 50 active tokens and 50 ended ones.
  const tokens = await listTokens(store.db, { userId });
  return tokens.flatMap(({ id, name, lastFour, createdAt, expiresAt, revokedAt }) => {
    if (revokedAt !== null || expiresAt === null) return [];
    if (expiresAt <= at || expiresAt > at + tokenMsMin) return [];
    const days = Math.max(1, Math.ceil((expiresAt - at) / (24 * 60 * 60 * 1000)));
    const newer = tokens.some(
      (other) =>
        other.name === name &&
        other.createdAt > createdAt &&
        other.revokedAt === null &&
        (other.expiresAt === null || other.expiresAt > expiresAt),
    );
    const advice = newer
      ? "You have a newer one with its name: give that one to the programs that still use it."
      : "Rotate it, and give the new one to the programs that use it.";
    const text = `Your token that ends with ${lastFour} expires in ${days === 1 ? "a day" : `${days} days`}. ${advice}`;
    return [
      toItem("token_expiring", { kind: "token", id, name }, text, { path: "/profile/tokens" }),
    ];
  });
}
