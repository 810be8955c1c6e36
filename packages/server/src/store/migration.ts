import { createHash } from "node:crypto";
import { toDurationText } from "@hub/connector";
import { HubError } from "../errors.ts";
import type { BuildName } from "../lib/process/build-info.ts";

/**
 * A step of the database's schema, applied once, in its own place in the order. Its first lines may
 * be a header: `-- level: 2` begins a new level, and `-- contract: 012-new-column` says that it
 * removes what the program has not used since that migration. See docs/decisions/024.
 */
export type Migration = { name: string; sql: string };

/** A migration that a database records, with its level. */
export type AppliedMigration = {
  name: string;
  checksum: string;
  level: number;
  /** The build that applied it; null or absent if it was one that did not record this yet. */
  hub_version?: string | null;
  hub_commit?: string | null;
};

/** What a program finds in a database. */
type SchemaState = {
  /** In the order in which they are applied. */
  missing: Migration[];
  /** Names of migrations of a newer version, on which this program can run. */
  newer: string[];
  /** The build that applied the last of them, such as "version 0.3.0, commit 1a2b3c4"; null if it is unknown. */
  newerBuild: string | null;
};

/**
 * The missing and the newer migrations. Throws if this program cannot run on the database: it is
 * of another build, or more than one level newer.
 */
export function compareSchema(
  applied: readonly AppliedMigration[],
  known: readonly Migration[],
): SchemaState {
  const unknown: AppliedMigration[] = [];
  for (const migration of applied) {
    const same = known.find(({ name }) => name === migration.name);
    if (same === undefined) unknown.push(migration);
    else if (toChecksum(same.sql) !== migration.checksum) throw refuseOtherBuild(migration);
  }
  const missing = known.filter(({ name }) => !applied.some((other) => other.name === name));
  const [first] = unknown;
  if (first === undefined) return { missing, newer: [], newerBuild: null };
  const newest = known.at(-1)?.name ?? "";
  // A newer version has all migrations of this one, and its own follow them.
  const stranger = missing.length > 0 ? first : unknown.find(({ name }) => name <= newest);
  if (stranger !== undefined) throw refuseOtherBuild(stranger);
  const own = Math.max(1, ...toLevels(known).values());
  const distant = unknown.find(({ level }) => level > own + 1);
  if (distant !== undefined) throw refuseDistant(distant);
  const newer = unknown.map(({ name }) => name);
  return { missing, newer, newerBuild: describeBuild(unknown.at(-1)) };
}

/** The level of each migration: that of its header, or of the migration before it. */
export function toLevels(known: readonly Migration[]): Map<string, number> {
  const levels = new Map<string, number>();
  let level = 1;
  for (const { name, sql } of known) {
    level = readHeader(sql).level ?? level;
    levels.set(name, level);
  }
  return levels;
}

type Header = {
  level: number | null;
  /** The migration since which the program does without what this one removes. */
  contract: string | null;
};

export function readHeader(sql: string): Header {
  const [comments = ""] = /^(?:--.*\r?\n)*/.exec(sql) ?? [];
  const level = /^-- level: (\d+)\r?$/m.exec(comments)?.[1];
  const contract = /^-- contract: (\S+)\r?$/m.exec(comments)?.[1];
  return { level: level === undefined ? null : Number(level), contract: contract ?? null };
}

/** The columns that migrations are recorded in, in the order of {@link toRecordValues}. */
export const recordColumns = "name, checksum, applied_at, level, hub_version, hub_commit";

/** What is recorded of a migration that ran now, for {@link recordColumns}. */
export function toRecordValues(
  { name, sql }: Migration,
  levels: ReadonlyMap<string, number>,
  { hub_version, server_commit }: BuildName,
) {
  const level = levels.get(name) ?? 1;
  return [name, toChecksum(sql), Date.now(), level, hub_version, server_commit] as const;
}

/** The query for the migrations that a database records. An old one has no levels, or no builds. */
export function toRecordQuery({
  hasLevels,
  hasBuilds,
}: {
  hasLevels: boolean;
  hasBuilds: boolean;
}) {
  const level = hasLevels ? "level" : "1 as level";
  const builds = hasBuilds ? ", hub_version, hub_commit" : "";
  return `select name, checksum, ${level}${builds} from migrations order by name`;
}

/** Of the text with LF line ends, because git may have changed them on check-out. */
export function toChecksum(sql: string): string {
  return createHash("sha256").update(sql.replaceAll("\r\n", "\n")).digest("hex");
}

/** For a program that does not migrate by itself. */
export function refusePending(missing: readonly Migration[]): HubError {
  const names = missing.map(({ name }) => name).join(", ");
  return new HubError(
    "bad_configuration",
    `The database lacks migrations of this version (${names}), and HUB_MIGRATE is off. Run: hub migrate`,
  );
}

/** For a command that reads or changes a hub, but is not meant to upgrade it. */
export function refuseOlder(missing: readonly Migration[]): HubError {
  const [first, last] = [missing[0]?.name ?? "", missing.at(-1)?.name ?? ""];
  const which = first === last ? `the migration ${first}` : `the migrations ${first} to ${last}`;
  return new HubError(
    "bad_configuration",
    `The database is of an older version of the hub: it lacks ${which}. Commands do not upgrade it. Start the server of this version once, or run: hub migrate`,
  );
}

/** A command makes no second hub in a database that was named by mistake. */
export function refuseEmptyDatabase(): HubError {
  return new HubError(
    "not_found",
    "The database at HUB_DATABASE_URL has no hub. Set HUB_DATABASE_URL as the server has it. To make a new hub in this database, run: hub serve, or hub migrate",
  );
}

function refuseDistant(migration: AppliedMigration): HubError {
  const build = describeBuild(migration);
  const which = `${migration.name}${build === null ? "" : ` of ${build}`}`;
  const wanted = build === null ? "a newer version" : "that build or a newer version";
  return new HubError(
    "bad_configuration",
    `The database is more than one version newer than this hub (it has the migration ${which}). Start ${wanted}, or choose another database with HUB_DATA_DIR or HUB_DATABASE_URL.`,
  );
}

function refuseOtherBuild(migration: AppliedMigration): HubError {
  const build = describeBuild(migration);
  const made = build === null ? "" : ` (${build})`;
  return new HubError(
    "bad_configuration",
    `The database was made by another build of the hub${made}: its migration ${migration.name} differs. Start that build, or choose another database with HUB_DATA_DIR or HUB_DATABASE_URL.`,
  );
}

function describeBuild(migration: AppliedMigration | undefined): string | null {
  const { hub_version: version = null, hub_commit: commit = null } = migration ?? {};
  if (version === null) return null;
  return `version ${version}${commit === null ? "" : `, commit ${commit}`}`;
}

/** How a program treats the migrations that a database lacks. */
export type MigrateOptions = {
  /** Whether it applies them, or refuses. */
  isAllowed?: boolean;
  /** Whether it makes a hub in an empty database and upgrades an older one, or refuses. The default is that it does. */
  mayMakeHub?: boolean;
  /** Called before an existing SQLite database is migrated. */
  beforeUpgrade?: BeforeUpgrade | undefined;
  /** How long it waits for another process that migrates. */
  waitMsMax?: number;
  log?: MigrateLog;
};

/**
 * Keeps what the migration changes. `isPending` says whether another process has migrated in the meantime. What is
 * returned is disposed after the migration.
 */
export type BeforeUpgrade = (isPending: () => boolean) => Promise<Disposable>;

export type MigrateLog = {
  info(fields: Record<string, unknown>, message: string): void;
  warn(fields: Record<string, unknown>, message: string): void;
};

/** Another process may be migrating a large database. */
export const migrationWaitMsMax = 5 * 60_000;

/** During a rolling update, this version is the older one of two. */
export function logNewer(
  log: MigrateLog | undefined,
  { newer, newerBuild }: Pick<SchemaState, "newer" | "newerBuild">,
): void {
  if (newer.length === 0) return;
  log?.info(
    { newer, by: newerBuild },
    "The database has migrations of the next version, on which this one can run",
  );
}

/** Records a wait in the log at its begin, and then every 15 seconds. */
export function createWaitLog(log: MigrateLog | undefined, waitMsMax: number) {
  let recordedAt = Number.NEGATIVE_INFINITY;
  return (reason: string): void => {
    const now = performance.now();
    if (now - recordedAt < 15_000) return;
    recordedAt = now;
    log?.warn(
      { reason },
      `The hub waits at most ${toDurationText(waitMsMax)} to migrate its database`,
    );
  };
}

/** After a wait without success. */
export function refuseWait(reason: string, waitMsMax: number): HubError {
  const wait = `The hub waited ${toDurationText(waitMsMax)} to migrate its database`;
  return new HubError("conflict", `${wait}, which another program holds. Start it again later.`, {
    localMessage: `${wait}: ${reason}`,
  });
}
