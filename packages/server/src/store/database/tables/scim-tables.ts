import type { Generated } from "kysely";
import type { Flag } from "./flag.ts";

/** The programs of identity providers that change users, with what they sent. */
export type ScimTables = {
  scim_clients: {
    id: string;
    name: string;
    token_hash: Uint8Array;
    last_four: string;
    issuer: string | null;
    /** JSON: a list of addresses and networks. */
    addresses: string | null;
    created_by: string;
    created_at: number;
    expires_at: number;
    last_used_at: number | null;
  };
  scim_users: {
    user_id: string;
    client_id: string;
    user_name: string | null;
    user_name_key: string | null;
    external_id: string | null;
    /** JSON. */
    attributes: string;
    groups_due: Generated<Flag>;
    created_at: number;
    updated_at: number;
  };
  scim_groups: {
    id: string;
    client_id: string;
    display_name: string;
    name_key: string;
    external_id: string | null;
    created_at: number;
    updated_at: number;
  };
  scim_members: { group_id: string; user_id: string };
};

/** The columns of those that are read whole. */
export const scimColumns = {
  scim_clients: [
    "id",
    "name",
    "token_hash",
    "last_four",
    "issuer",
    "addresses",
    "created_by",
    "created_at",
    "expires_at",
    "last_used_at",
  ],
  scim_groups: [
    "id",
    "client_id",
    "display_name",
    "name_key",
    "external_id",
    "created_at",
    "updated_at",
  ],
} as const satisfies { [Table in keyof ScimTables]?: ReadonlyArray<keyof ScimTables[Table]> };
