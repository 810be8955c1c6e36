import {
  type HotReads,
  type RunEnd,
  runEnd,
  type Snapshot,
  type TokenOwner,
  type UserAccess,
} from "../database/hot-reads.ts";
import { type RowParts, toRowRecords } from "../rows/row-parts.ts";
import { type StoredRule, toRuleRecord } from "../rules/call-rule.ts";
import { EVERYONE_TAG } from "../tags/tags-table.ts";
import { effectiveRole, effectiveStatus, isEffectiveTag } from "../users/effective-user.ts";
import type { ConnectionPool } from "./connections/connection-pool.ts";

/** The reads of every call. Each is one statement, which the client prepares once. */
export function createPostgresHotReads(pool: Pick<ConnectionPool, "query">): HotReads {
  async function read<R>(text: string, values: readonly unknown[] = []): Promise<R[]> {
    return (await pool.query<R>(text, values)).rows;
  }

  async function findAccess<R extends UserAccess>(text: string, value: unknown) {
    const askedAt = performance.now();
    const [found] = await read<R & { revision: number }>(text, [value]);
    if (found === undefined) return null;
    const { revision, ...access } = found;
    return { ...access, tags: [...access.tags, EVERYONE_TAG], seen: { revision, askedAt } };
  }

  return {
    findTokenOwner: (tokenHash) => findAccess<TokenOwner>(tokenOwner, tokenHash),
    findOAuthTokenOwner: (tokenHash) => findAccess<TokenOwner>(oauthTokenOwner, tokenHash),
    findUserAccess: (userId) => findAccess<UserAccess>(userAccess, userId),
    async readRevision() {
      const [found] = await read<{ value: number }>("select value from revision");
      if (found === undefined) throw new Error("The database lacks its revision.");
      return found.value;
    },
    async readRunEnd(runId) {
      const [found = null] = await read<RunEnd>(`${runEnd} where r.id = $1`, [runId]);
      return found;
    },
    async loadSnapshot() {
      const [found] = await read<StoredSnapshot>(snapshot);
      if (found === undefined) throw new Error("The database lacks its revision.");
      return toSnapshot(found);
    },
  };
}

const accessColumns = `
  users.id as "userId", email, users.name as name, ${effectiveRole} as role,
  ${effectiveStatus} as status, user_kind as kind, owned_by as "ownerId",
  array(select tags.name from user_tags join tags on tags.id = tag_id
    where user_id = users.id and ${isEffectiveTag}) as tags,
  (select value from revision) as revision`;

const tokenOwner = `
  select personal_access_tokens.id as "tokenId", scope, expires_at as "expiresAt",
    revoked_at as "revokedAt", bounds, ${accessColumns}
  from personal_access_tokens join users on users.id = personal_access_tokens.user_id
  where token_hash = $1`;

const oauthTokenOwner = `
  select grant_id as "tokenId", 'mcp' as scope, expires_at as "expiresAt", null as "revokedAt",
    bounds, ${accessColumns}
  from oauth_access_tokens join users on users.id = oauth_access_tokens.user_id
  where token_hash = $1`;

const userAccess = `select ${accessColumns} from users where users.id = $1`;

/** One statement sees one state of the database. Bytes are in hex, as in every JSON of PostgreSQL. */
const snapshot = `
  select value as revision,
    (select coalesce(json_agg(r order by created_at, id), '[]') from connector_rows r)::text as rows,
    (select coalesce(json_agg(json_build_object('row_id', row_id, 'name', name) order by name), '[]')
      from row_tags join tags on tags.id = tag_id)::text as tags,
    (select coalesce(json_agg(json_build_object('row_id', row_id, 'field_key', field_key,
        'value', value, 'sealed', encode(sealed, 'hex')) order by row_id, field_key), '[]')
      from row_values)::text as values,
    (select coalesce(json_agg(s), '[]') from operation_states s)::text as states,
    (select coalesce(json_agg(connector_key), '[]') from type_states where disabled = 1)::text as types,
    (select coalesce(json_agg(json_build_array(key, value)), '[]') from settings
      where key >= 'HUB_' and key < 'HUB\`')::text as settings,
    (select coalesce(json_agg(u), '[]') from call_rules u)::text as rules
  from revision`;

type StoredSnapshot = { revision: number } & Record<
  "rows" | "tags" | "values" | "states" | "types" | "settings" | "rules",
  string
>;

type HexValue = Omit<RowParts["values"][number], "sealed"> & { sealed: string | null };

/** The texts are made by the statement above, of typed columns. */
function toSnapshot(stored: StoredSnapshot): Snapshot {
  const values = JSON.parse(stored.values) as HexValue[];
  return {
    revision: stored.revision,
    rows: toRowRecords({
      rows: JSON.parse(stored.rows) as RowParts["rows"],
      tags: JSON.parse(stored.tags) as RowParts["tags"],
      values: values.map(({ sealed, ...value }) => ({
        ...value,
        sealed: sealed === null ? null : new Uint8Array(Buffer.from(sealed, "hex")),
      })),
      states: JSON.parse(stored.states) as RowParts["states"],
    }),
    typeDisabled: new Set(JSON.parse(stored.types) as string[]),
    settings: new Map(JSON.parse(stored.settings) as Array<[string, string]>),
    rules: (JSON.parse(stored.rules) as StoredRule[]).map(toRuleRecord),
  };
}
