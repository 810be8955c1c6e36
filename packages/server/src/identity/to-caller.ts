import type { Caller, Principal } from "../caller.ts";
import type { UserKind, UserStatus } from "../store/database/tables/user-tables.ts";

type CallingUser = Pick<Caller, "userId" | "email" | "name" | "role" | "seen"> & {
  tags: readonly string[];
  kind?: UserKind;
  ownerId?: string | null;
};

/** Only active users have access, by session, token, OAuth or stdio. */
export function isActive({ status }: { status: UserStatus }): boolean {
  return status === "active";
}

/** The user as a caller; `tokenId` is null for a caller without a token. `kind` is what makes the calls of the caller. */
export function toCaller(
  user: CallingUser,
  tokenId: string | null,
  kind?: Principal["kind"],
): Caller {
  const { userId, email, name, role, tags, seen, kind: userKind, ownerId } = user;
  const caller: Caller = { userId, email, name, role, tags: new Set(tags), tokenId };
  if (kind !== undefined) caller.principal = { kind, id: tokenId ?? "" };
  if (userKind === "service") caller.ownerId = ownerId ?? "";
  return seen === undefined ? caller : { ...caller, seen };
}
