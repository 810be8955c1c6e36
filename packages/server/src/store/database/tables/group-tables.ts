import type { Flag } from "./flag.ts";

/** The tables of groups of users, and of their sessions at the single sign-on provider. */
export type GroupTables = {
  group_lines: {
    id: string;
    position: number;
    source: "any" | "sso" | "scim";
    pattern: string;
    is_pattern: Flag;
    /** JSON. */
    tags: string;
    tag_start: string | null;
    role: "user" | "admin" | "none";
    admin_by_scim: Flag;
  };
  group_line_revision: { id: number; value: number };
  user_group_reads: {
    user_id: string;
    source: string;
    read_at: number | null;
    problem: string | null;
    problem_at: number | null;
    left_out: number;
    is_refused: Flag;
    applied: number;
  };
  user_groups: { user_id: string; source: string; name: string };
  prepared_users: { user_id: string; issuer: string; created_at: number };
  provider_sessions: {
    user_id: string;
    issuer: string;
    subject: string;
    sid: string | null;
    sealed: Uint8Array | null;
    tokens_id: string;
    read_at: number;
    next_at: number;
    failed_since: number | null;
    failure: string | null;
    ended_at: number | null;
    refuses_tokens: Flag;
  };
};

/** The columns of those that are read whole. */
export const groupColumns = {
  group_lines: [
    "id",
    "position",
    "source",
    "pattern",
    "is_pattern",
    "tags",
    "tag_start",
    "role",
    "admin_by_scim",
  ],
  user_group_reads: [
    "user_id",
    "source",
    "read_at",
    "problem",
    "problem_at",
    "left_out",
    "is_refused",
    "applied",
  ],
  user_groups: ["user_id", "source", "name"],
  provider_sessions: [
    "user_id",
    "issuer",
    "subject",
    "sid",
    "sealed",
    "tokens_id",
    "read_at",
    "next_at",
    "failed_since",
    "failure",
    "ended_at",
    "refuses_tokens",
  ],
} as const satisfies { [Table in keyof GroupTables]?: ReadonlyArray<keyof GroupTables[Table]> };
