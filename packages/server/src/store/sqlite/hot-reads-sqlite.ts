import type { Database, Statement } from "bun:sqlite";
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
import type { CommitWatch } from "./commit-watch-sqlite.ts";
import { toStoreError } from "./sqlite-errors.ts";

/** Limits the token owners and users in memory while nothing is committed. A commit removes them. */
const keptMax = 1000;

/**
 * The statements are prepared once, on a read-only connection. What they read is kept in memory
 * until something other than an audit write is committed.
 */
export function createSqliteHotReads(database: Database, watch: CommitWatch): HotReads {
  const checks = new KeptChecks(database, watch);
  const tokens = prepareOwner(database, personalTokenOwner);
  const oauthTokens = prepareOwner(database, oauthTokenOwner);
  const runEndOf = database.prepare<RunEnd, [string]>(`${runEnd} where r.id = ?`);
  const readSnapshot = prepareSnapshot(database, () => checks.readCurrentRevision());
  return {
    findTokenOwner: read((tokenHash) => checks.findOwner(tokens, tokenHash)),
    findOAuthTokenOwner: read((tokenHash) => checks.findOwner(oauthTokens, tokenHash)),
    findUserAccess: read((userId) => checks.findUser(userId)),
    loadSnapshot: read(() => readSnapshot.deferred()),
    readRevision: read(() => checks.readRevision()),
    readRunEnd: read((runId) => runEndOf.get(runId)),
  };
}

/** What the checks of each request read: kept until something other than an audit write is committed. */
class KeptChecks {
  readonly #watch: CommitWatch;
  readonly #revision: Statement<{ value: number }, []>;
  readonly #userAccess: Statement<Omit<UserAccess, "tags"> & { tags: string }, [string]>;
  readonly #owners = new Map<string, TokenOwner>();
  readonly #users = new Map<string, UserAccess>();
  #keptStamp = -1;
  /** -1 if it is not known. */
  #keptRevision = -1;

  constructor(database: Database, watch: CommitWatch) {
    this.#watch = watch;
    this.#revision = database.prepare("select value from revision");
    this.#userAccess = database.prepare(`select ${accessColumns} from users where users.id = ?`);
  }

  readCurrentRevision(): number {
    return must(this.#revision.get()).value;
  }

  readRevision(): number {
    if (!this.#renew()) return this.readCurrentRevision();
    if (this.#keptRevision === -1) this.#keptRevision = this.readCurrentRevision();
    return this.#keptRevision;
  }

  /** Unknown tokens are not kept, because strangers would choose what fills the memory. */
  findOwner(statement: OwnerStatement, tokenHash: Uint8Array): TokenOwner | null {
    const mayKeep = this.#renew();
    const { buffer, byteOffset, byteLength } = tokenHash;
    const key = Buffer.from(buffer, byteOffset, byteLength).toString("latin1");
    const before = mayKeep ? this.#owners.get(key) : undefined;
    if (before !== undefined) return before;
    const owner = withTags(statement.get(tokenHash));
    if (owner !== null && mayKeep) keep(this.#owners, key, owner);
    return owner;
  }

  findUser(userId: string): UserAccess | null {
    const mayKeep = this.#renew();
    const before = mayKeep ? this.#users.get(userId) : undefined;
    if (before !== undefined) return before;
    const user = withTags(this.#userAccess.get(userId));
    if (user !== null && mayKeep) keep(this.#users, userId, user);
    return user;
  }

  /** Whether what is kept is current. If not, it is removed, and the caller may keep what it reads. */
  #renew(): boolean {
    const stamp = this.#watch.readStamp();
    if (stamp === null) return false;
    if (stamp !== this.#keptStamp) {
      this.#owners.clear();
      this.#users.clear();
      this.#keptStamp = stamp;
      this.#keptRevision = -1;
    }
    return true;
  }
}

function keep<T>(kept: Map<string, T>, key: string, found: T): void {
  if (kept.size >= keptMax) kept.clear();
  kept.set(key, found);
}

/**
 * One synchronous transaction: revision and data belong together, and no other read of this connection sees an old
 * state.
 */
function prepareSnapshot(database: Database, readRevision: () => number) {
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
  const rules = database.prepare<StoredRule, []>("select * from call_rules");
  return database.transaction(
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
      rules: rules.all().map(toRuleRecord),
    }),
  );
}

type OwnerStatement = Statement<Omit<TokenOwner, "tags"> & { tags: string }, [Uint8Array]>;

const accessColumns = `
  users.id as userId, email, users.name as name, ${effectiveRole} as role,
  ${effectiveStatus} as status, user_kind as kind, owned_by as ownerId,
  (select json_group_array(tags.name) from user_tags join tags on tags.id = tag_id
    where user_id = users.id and ${isEffectiveTag}) as tags`;

function withTags<T extends { tags: string }>(found: T | null) {
  if (found === null) return null;
  // Made by json_group_array of a text column.
  const tags = JSON.parse(found.tags) as string[];
  return { ...found, tags: [...tags, EVERYONE_TAG] };
}

function prepareOwner(database: Database, query: string): OwnerStatement {
  return database.prepare(query);
}

const personalTokenOwner = `
    select personal_access_tokens.id as tokenId, scope, expires_at as expiresAt, revoked_at as revokedAt,
      bounds, ${accessColumns}
    from personal_access_tokens join users on users.id = personal_access_tokens.user_id
    where token_hash = ?`;

const oauthTokenOwner = `
    select grant_id as tokenId, 'mcp' as scope, expires_at as expiresAt, null as revokedAt, bounds,
      ${accessColumns}
    from oauth_access_tokens join users on users.id = oauth_access_tokens.user_id
    where token_hash = ?`;

/** Converts a synchronous read to a promise, and its errors to those that say what to do. */
function read<Args extends unknown[], T>(
  reader: (...args: Args) => T,
): (...args: Args) => Promise<T> {
  // Not `async`, which makes several objects for each call of the function.
  return (...args) => {
    try {
      return Promise.resolve(reader(...args));
    } catch (err) {
      return Promise.reject(toStoreError(err));
    }
  };
}

function must<T>(row: T | null): T {
  if (row === null) throw new Error("The database lacks a row that its migration made.");
  return row;
}
