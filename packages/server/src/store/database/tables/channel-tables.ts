import type { Generated } from "kysely";
import type { Flag } from "./flag.ts";

/** The tables of channels and the chat accounts of users. */
export type ChannelTables = {
  channel_states: {
    row_id: string;
    holder: string | null;
    held_until: number | null;
    lease: Generated<number>;
    state: Generated<ChannelState>;
    reason: string | null;
    changed_at: Generated<number>;
    refused_version: number | null;
    /** JSON. */
    account: string | null;
    cursor: string | null;
    /** JSON. */
    recent: Generated<string>;
  };
  chat_accounts: {
    id: string;
    user_id: string;
    kind: string;
    /** Empty on platforms without workspaces. */
    team_id: string;
    account_id: string;
    account_name: string | null;
    team_name: string | null;
    created_at: number;
    row_id: string | null;
  };
  chat_links: {
    id: string;
    user_id: string;
    session_id: string;
    code_hash: Uint8Array;
    expires_at: number;
    row_id: string | null;
    kind: string | null;
    team_id: string | null;
    account_id: string | null;
    account_name: string | null;
    team_name: string | null;
    is_confirmed: Generated<Flag>;
  };
  chat_link_tries: { key: string; tries: number; expires_at: number };
};

/** The columns of those that are read whole. */
export const channelColumns = {
  channel_states: [
    "row_id",
    "holder",
    "held_until",
    "lease",
    "state",
    "reason",
    "changed_at",
    "refused_version",
    "account",
    "cursor",
    "recent",
  ],
  chat_accounts: [
    "id",
    "user_id",
    "kind",
    "team_id",
    "account_id",
    "account_name",
    "team_name",
    "created_at",
    "row_id",
  ],
} as const satisfies { [Table in keyof ChannelTables]?: ReadonlyArray<keyof ChannelTables[Table]> };

/** The connection of a channel, as its holder last reported it. */
export type ChannelState = "connecting" | "connected" | "failed";
