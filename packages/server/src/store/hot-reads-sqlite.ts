import type { Database, Statement } from "bun:sqlite";
import type { CommitWatch } from "./commit-watch-sqlite.ts";
import {
  type HotReads,
  type RunEnd,
  runEnd,
  type Snapshot,
  type TokenOwner,
  type UserAccess,
} from "./hot-reads.ts";
import { type RowParts, toRowRecords } from "./row-parts.ts";
import { toStoreError } from "./sqlite-errors.ts";
import { EVERYONE_TAG } from "./tags.ts";

/** Limits the token owners and users in memory while nothing is committed. A commit removes them. */
const keptMax = 1000;

/**
 * The statements are prepared once, on a read-only connection. What they read is kept in memory
 * until something other than an audit write is committed.
 */
export function createSqliteHotReads(database: Database, watch: CommitWatch): HotReads {
  const revision = database.prepare<{ value: number }, []>("select value from revision");
  const tokenOwner: OwnerStatement = database.prepare(`
    select personal_access_tokens.id as tokenId, scope, expires_at as expiresAt, revoked_at as revokedAt,
      ${accessColumns}
    from personal_access_tokens join users on users.id = personal_access_tokens.user_id
    where token_hash = ?`);
  const oauthTokenOwner: OwnerStatement = database.prepare(`
    select grant_id as tokenId, 'mcp' as scope, expires_at as expiresAt, null as revokedAt, ${accessColumns}
    from oauth_access_tokens join users on users.id = oauth_access_tokens.user_id
    where token_hash = ?`);
  const userAccess = database.prepare<Omit<UserAccess, "tags"> & { tags: string }, [string]>(
    `select ${accessColumns} from users where users.id = ?`,
  );
  const runEndOf = database.prepare<RunEnd, [string]>(`${runEnd} where r.id = ?`);
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

  const kept = {
    stamp: -1,
    revision: -1,
    owners: new Map<string, TokenOwner>(),
    users: new Map<string, UserAccess>(),
  };

  /** Whether `kept` is current. If not, it is emptied, and the caller may fill it. */
  function renewKept(stamp: number | null): boolean {
    if (stamp === null) return false;
    if (stamp !== kept.stamp) {
      kept.owners.clear();
      kept.users.clear();
      Object.assign(kept, { stamp, revision: -1 });
    }
    return true;
  }

  function keepRevision(): number {
    if (!renewKept(watch.readStamp())) return readRevision();
    if (kept.revision === -1) kept.revision = readRevision();
    return kept.revision;
  }

  /** Unknown tokens are not kept, because strangers would choose what fills the memory. */
  function keepOwner(statement: OwnerStatement): (tokenHash: Uint8Array) => TokenOwner | null {
    return (tokenHash) => {
      const mayKeep = renewKept(watch.readStamp());
      const key = Buffer.from(tokenHash).toString("latin1");
      const before = mayKeep ? kept.owners.get(key) : undefined;
      if (before !== undefined) return before;
      const owner = withTags(statement.get(tokenHash));
      if (owner === null || !mayKeep) return owner;
      if (kept.owners.size >= keptMax) kept.owners.clear();
      kept.owners.set(key, owner);
      return owner;
    };
  }

  function keepUser(userId: string): UserAccess | null {
    const mayKeep = renewKept(watch.readStamp());
    const before = mayKeep ? kept.users.get(userId) : undefined;
    if (before !== undefined) return before;
    const user = withTags(userAccess.get(userId));
    if (user === null || !mayKeep) return user;
    if (kept.users.size >= keptMax) kept.users.clear();
    kept.users.set(userId, user);
    return user;
  }

  return {
    findTokenOwner: read(keepOwner(tokenOwner)),
    findOAuthTokenOwner: read(keepOwner(oauthTokenOwner)),
    findUserAccess: read(keepUser),
    loadSnapshot: read(() => readSnapshot.deferred()),
    readRevision: read(keepRevision),
    readRunEnd: read((runId) => runEndOf.get(runId)),
  };
}

type OwnerStatement = Statement<Omit<TokenOwner, "tags"> & { tags: string }, [Uint8Array]>;

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
