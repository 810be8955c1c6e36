import type { Database } from "bun:sqlite";
import type { HotReads, Snapshot, TokenOwner, UserAccess } from "./hot-reads.ts";
import { type RowParts, toRowRecords } from "./row-parts.ts";
import { toStoreError } from "./sqlite-errors.ts";
import { EVERYONE_TAG } from "./tags.ts";

/** Prepared once, on a read-only connection, so that its data version changes with every commit. */
export function createSqliteHotReads(database: Database): HotReads {
  const revision = database.prepare<{ value: number }, []>("select value from revision");
  const tokenOwner = database.prepare<Omit<TokenOwner, "tags"> & { tags: string }, [Uint8Array]>(`
    select personal_access_tokens.id as tokenId, scope, expires_at as expiresAt, revoked_at as revokedAt,
      ${accessColumns}
    from personal_access_tokens join users on users.id = personal_access_tokens.user_id
    where token_hash = ?`);
  const oauthTokenOwner = database.prepare<
    Omit<TokenOwner, "tags"> & { tags: string },
    [Uint8Array]
  >(`
    select grant_id as tokenId, 'mcp' as scope, expires_at as expiresAt, null as revokedAt, ${accessColumns}
    from oauth_access_tokens join users on users.id = oauth_access_tokens.user_id
    where token_hash = ?`);
  const userAccess = database.prepare<Omit<UserAccess, "tags"> & { tags: string }, [string]>(
    `select ${accessColumns} from users where users.id = ?`,
  );
  const typeDisabled = database.prepare<{ connector_key: string }, []>(
    "select connector_key from type_states where disabled = 1",
  );
  const rows = database.prepare<RowParts["rows"][number], []>(
    "select * from connector_rows order by created_at, id",
  );
  const tags = database.prepare<RowParts["tags"][number], []>(
    "select row_id, name from row_tags join tags on tags.id = tag_id order by name",
  );
  const values = database.prepare<RowParts["values"][number], []>(
    "select * from row_values order by row_id, field_key",
  );
  const states = database.prepare<RowParts["states"][number], []>("select * from operation_states");

  const settings = database.prepare<{ key: string; value: string }, []>(
    "select key, value from settings where key >= 'HUB_' and key < 'HUB`'",
  );

  // One synchronous transaction: revision and data belong together, and no other read of this
  // connection sees an old state.
  const readSnapshot = database.transaction(
    (): Snapshot => ({
      revision: readRevision(),
      rows: toRowRecords({
        rows: rows.all(),
        tags: tags.all(),
        values: values.all(),
        states: states.all(),
      }),
      typeDisabled: new Set(typeDisabled.all().map((type) => type.connector_key)),
      settings: new Map(settings.all().map(({ key, value }) => [key, value])),
    }),
  );

  function readRevision(): number {
    return must(revision.get()).value;
  }

  return {
    findTokenOwner: read((tokenHash) => withTags(tokenOwner.get(tokenHash))),
    findOAuthTokenOwner: read((tokenHash) => withTags(oauthTokenOwner.get(tokenHash))),
    findUserAccess: read((userId) => withTags(userAccess.get(userId))),
    loadSnapshot: read(() => readSnapshot.deferred()),
    readRevision: read(readRevision),
  };
}

const accessColumns = `
  users.id as userId, email, users.name as name, role, status,
  (select json_group_array(tags.name) from user_tags join tags on tags.id = tag_id
    where user_id = users.id) as tags`;

function withTags<T extends { tags: string }>(found: T | null) {
  if (found === null) return null;
  // Made by json_group_array of a text column.
  const tags = JSON.parse(found.tags) as string[];
  return { ...found, tags: [...tags, EVERYONE_TAG] };
}

/** Converts a synchronous read to a promise, and its errors to those that say what to do. */
function read<Args extends unknown[], T>(
  reader: (...args: Args) => T,
): (...args: Args) => Promise<T> {
  return async (...args) => {
    try {
      return reader(...args);
    } catch (err) {
      throw toStoreError(err);
    }
  };
}

function must<T>(row: T | null): T {
  if (row === null) throw new Error("The database lacks a row that its migration made.");
  return row;
}
