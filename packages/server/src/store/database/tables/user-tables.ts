import type { Generated } from "kysely";
import type { Flag } from "./flag.ts";

/** The tables of people, and how they sign in. */
export type UserTables = {
  users: {
    id: string;
    /** Lower case. */
    email: string;
    name: string;
    role: UserRole;
    status: UserStatus;
    password_hash: string | null;
    must_change_password: Generated<Flag>;
    created_at: number;
    updated_at: number;
    user_kind: Generated<UserKind>;
    /** Of a service user. Null until it has a new owner. */
    owned_by: Generated<string | null>;
    user_origin: Generated<UserOrigin>;
    /** The role given by hand, while groups decide `role`. Null: `role` is given by hand. */
    hand_role: Generated<UserRole | null>;
    /** What disabled the user, if it was not done by hand. */
    disabled_by: Generated<"groups" | "scim" | null>;
  };
  tags: { id: string; name: string; created_at: number };
  /** A line exists while the tag is given by hand or by groups. */
  user_tags: {
    user_id: string;
    tag_id: string;
    by_hand: Generated<Flag>;
    by_group: Generated<Flag>;
  };
  sessions: {
    id: string;
    user_id: string;
    token_hash: Uint8Array;
    created_at: number;
    last_seen_at: number;
    expires_at: number;
    ip_address: string | null;
    user_agent: string | null;
    /** The provider's name of the session that this one began with. Null for a local sign-in. */
    provider_sid: string | null;
    /** When the user last proved who they are. Null: when the session began. */
    fresh_at: number | null;
  };
  identities: {
    id: string;
    user_id: string;
    issuer: string;
    subject: string;
    email: string;
    created_at: number;
    last_used_at: number;
  };
  personal_access_tokens: {
    id: string;
    user_id: string;
    name: string;
    token_hash: Uint8Array;
    last_four: string;
    created_at: number;
    last_used_at: number | null;
    expires_at: number | null;
    revoked_at: number | null;
    scope: TokenScope;
    /** JSON: what a bound token limits its calls to. */
    bounds: string | null;
  };
  sign_in_counters: {
    key: string;
    account: string | null;
    failures: number;
    first_at: number;
    last_at: number;
    expires_at: number;
  };
  /** The ids of tokens from outside that may be used once. */
  used_token_ids: { hash: Uint8Array; expires_at: number };
};

/** The columns of those that are read whole. */
export const userColumns = {
  sessions: [
    "id",
    "user_id",
    "token_hash",
    "created_at",
    "last_seen_at",
    "expires_at",
    "ip_address",
    "user_agent",
    "provider_sid",
    "fresh_at",
  ],
  identities: ["id", "user_id", "issuer", "subject", "email", "created_at", "last_used_at"],
  personal_access_tokens: [
    "id",
    "user_id",
    "name",
    "token_hash",
    "last_four",
    "created_at",
    "last_used_at",
    "expires_at",
    "revoked_at",
    "scope",
    "bounds",
  ],
  sign_in_counters: ["key", "account", "failures", "first_at", "last_at", "expires_at"],
} as const satisfies { [Table in keyof UserTables]?: ReadonlyArray<keyof UserTables[Table]> };

export type UserRole = "admin" | "user";

/** A service user is a machine's: it has no password and never signs in. */
export type UserKind = "person" | "service";

/** What made the user: a person or command here, a first single sign-on, SCIM, or an admin before the first sign-in. */
export type UserOrigin = "local" | "sso" | "scim" | "prepared";

export type UserStatus = "pending" | "active" | "disabled";

/** The scope of a token: `mcp` is the MCP endpoint, `manage` the management API as well. */
export type TokenScope = "mcp" | "manage";
