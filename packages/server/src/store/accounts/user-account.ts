import type { Selectable } from "kysely";
import { z } from "zod";
import type { Tables } from "../database/tables.ts";

/** Whose accounts: those of one user in one row. */
export type AccountOwner = { userId: string; rowId: string };

/** An account of a user in a row. Times are epoch ms. */
export type UserAccount = AccountOwner & {
  id: string;
  /** Unique among the accounts of the user in the row. */
  label: string;
  /** Typed by its user, or got by a sign-in elsewhere. */
  kind: "token" | "oauth";
  /** For the location of `toAccountLocation`. */
  sealed: Uint8Array;
  /** A random id of what is sealed now. */
  tokensId: string;
  /** The addresses of the row that its user was shown. */
  hosts: readonly string[];
  /** Who published the row's connector then. */
  publisher: string;
  /** Who it is outside, if that is known. */
  identity: string | null;
  scope: string | null;
  connectedAt: number;
  usedAt: number | null;
  expiresAt: number | null;
  /** When the tokens of a sign-in are refreshed. Null if they cannot be, or if their end is not known. */
  renewAt: number | null;
  /** Why it no longer works. Null while it does. */
  lost: { reason: string; at: number } | null;
};

/** What a new connection of an account replaces. */
export type AccountSecret = Pick<
  UserAccount,
  "sealed" | "tokensId" | "hosts" | "publisher" | "scope" | "expiresAt" | "renewAt"
>;

const hostsSchema = z.array(z.string());

/** The columns of what a new connection replaces. */
export function toSecretColumns({
  sealed,
  tokensId,
  hosts,
  publisher,
  scope,
  expiresAt,
  renewAt,
}: AccountSecret) {
  const bound = { hosts: JSON.stringify(hosts), publisher };
  const ends = { expires_at: expiresAt, renew_at: renewAt };
  return { sealed, tokens_id: tokensId, ...bound, scope, ...ends };
}

/** Empty for what is left of a removed account. */
export function toUserAccount(stored: Selectable<Tables["user_accounts"]>): UserAccount[] {
  const { kind, lost_at: lostAt, lost_reason: reason } = stored;
  if (kind === "removed") return [];
  return [
    {
      id: stored.id,
      userId: stored.user_id,
      rowId: stored.row_id,
      label: stored.label,
      kind,
      sealed: stored.sealed,
      tokensId: stored.tokens_id,
      hosts: hostsSchema.parse(JSON.parse(stored.hosts)),
      publisher: stored.publisher,
      identity: stored.identity,
      scope: stored.scope,
      connectedAt: stored.connected_at,
      usedAt: stored.used_at,
      expiresAt: stored.expires_at,
      renewAt: stored.renew_at,
      lost: lostAt === null ? null : { reason: reason ?? "", at: lostAt },
    },
  ];
}
