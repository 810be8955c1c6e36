import type { SeenRevision } from "../../caller.ts";
import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { findKeyId } from "../../secrets/at-rest/at-rest.ts";
import type { SecretReferences } from "../../secrets/at-rest/secret-references.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Db } from "../../store/database/database.ts";
import type { HotReads, Snapshot } from "../../store/database/hot-reads.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import type { LiveSettings, StoredSettings } from "../../stored-settings.ts";
import type { Operations } from "../by-row/row-operation-cache.ts";
import type { ConnectorRegistry } from "../registry.ts";
import { createConfigOpener, type OpenDeps, type RowConfig } from "./open-row-config.ts";
import { createRowLookup, type RowLookup } from "./row-lookup.ts";

/** One configured instance of a connector. */
export type Row = Pick<
  RowRecord,
  | "id"
  | "connectorKey"
  | "owner"
  | "label"
  | "description"
  | "disabled"
  | "tests"
  | "tags"
  | "operationStates"
  | "slug"
  | "version"
  | "connectionId"
> & {
  /** What is stored of it. */
  record: RowRecord;
  /** Its own operations, or those of its connector. */
  operations: Operations;
  /** Decrypted on first use, then cached until the row or a secret that is kept outside the hub changes. */
  config(): RowConfig;
};

/** A snapshot of all rows, the disabled connector types and the effective settings. */
export type Directory = RowLookup<Row> & {
  /** Sorted by connector, label and id, the order of all lists. */
  rows: readonly Row[];
  find(rowId: string): Row | null;
  isTypeDisabled(connectorKey: string): boolean;
  settings: LiveSettings;
  /** Changes whenever this snapshot or the registry changes. */
  stamp: string;
};

export type RowDirectory = {
  /** Registers the plugins that other processes have installed. */
  followPlugins(): Promise<void>;
  /**
   * The current rows: the next call sees changes by every process. With the revision that was read
   * with the caller of this request, it need not be read again.
   */
  current(seen?: SeenRevision): Promise<Directory>;
};

/** After work on more rows, the event loop gets a turn. */
const rowsAtOnce = 1_000;
/** A client that sends its body slowly must not use rows as old as its first byte. */
const seenMsMax = 1_000;

type DirectoryDeps = {
  reads: Pick<HotReads, "readRevision" | "loadSnapshot">;
  registry: ConnectorRegistry;
  ring: RingHolder;
  references: SecretReferences;
  /** Of the same database as `reads`. */
  db: Db;
  /** Updates the registry to the installed plugins; called once per revision. */
  followPlugins(): Promise<unknown>;
  /** The effective settings for these stored ones. */
  toSettings(stored: StoredSettings): LiveSettings;
};

export function createRowDirectory(deps: DirectoryDeps): RowDirectory {
  const plugins = createFollower(deps.followPlugins);
  let directory: Directory | null = null;
  let revision = -1;
  let generation = -1;
  let loading: { revision: number; generation: number; done: Promise<Directory> } | null = null;

  /** Callers of the same revision share one load, which takes some turns of the event loop for thousands of rows. */
  function share(present: number, atGeneration: number): Promise<Directory> {
    const isShared = loading?.revision === present && loading.generation === atGeneration;
    if (loading !== null && isShared) return loading.done;
    const done = load(atGeneration).finally(() => {
      if (loading?.done === done) loading = null;
    });
    loading = { revision: present, generation: atGeneration, done };
    return done;
  }

  async function load(atGeneration: number): Promise<Directory> {
    const loaded = await loadTogether(deps);
    const { snapshot } = loaded;
    // A slower load that started earlier must not replace a newer one.
    if (directory === null || snapshot.revision >= revision) {
      directory = toDirectory(deps, loaded, atGeneration);
      revision = snapshot.revision;
      generation = atGeneration;
    }
    return directory;
  }

  /** The database was replaced by an earlier state, such as a standby that lacks the last commits. */
  function forget(): void {
    directory = null;
    revision = -1;
    // Their versions may be given again.
    deps.registry.keepOperations(new Set());
    plugins.forget();
  }

  return {
    async followPlugins() {
      const present = await deps.reads.readRevision();
      if (!plugins.isAt(present)) await plugins.follow(present);
    },
    async current(seen) {
      // Every call commits audit rows, so a commit does not mean a change of configuration. Only the
      // revision does, and reading it takes two microseconds.
      let present = isRecent(seen) ? seen.revision : await deps.reads.readRevision();
      if (present < revision) {
        const known = revision;
        present = await deps.reads.readRevision();
        if (present < known) forget();
      }
      if (!plugins.isAt(present)) await plugins.follow(present);
      const loadedGeneration = deps.registry.generation();
      if (directory !== null && present <= revision && loadedGeneration === generation) {
        return directory;
      }
      return await share(present, loadedGeneration);
    },
  };
}

function isRecent(seen: SeenRevision | undefined): seen is SeenRevision {
  return seen !== undefined && performance.now() - seen.askedAt < seenMsMax;
}

/** Callers with the same revision share one sync; after a failure the next caller syncs again. */
function createFollower(follow: () => Promise<unknown>) {
  let followed = -1;
  let underWay: { revision: number; look: Promise<unknown> } | null = null;
  return {
    isAt: (revision: number) => revision <= followed,
    forget() {
      followed = -1;
      underWay = null;
    },
    async follow(revision: number): Promise<void> {
      // A sync that started at an earlier revision may have missed this change.
      if (underWay === null || underWay.revision < revision)
        underWay = { revision, look: follow() };
      const mine = underWay;
      try {
        await mine.look;
        followed = Math.max(followed, mine.revision);
      } finally {
        if (underWay === mine) underWay = null;
      }
    },
  };
}

/** A snapshot with the key ring of its secrets. */
type Loaded = { snapshot: Snapshot; ring: KeyRing; operations: ReadonlyMap<string, Operations> };

/** Reads the rows, then the key ring, which may have been rotated. */
async function loadTogether(deps: DirectoryDeps): Promise<Loaded> {
  const { snapshot, ring } = await loadWithKeys(deps);
  return { snapshot, ring, operations: await loadOperations(deps, snapshot) };
}

/** The operations of each row. Only those that changed are read. */
async function loadOperations(
  { db, registry }: DirectoryDeps,
  { rows }: Snapshot,
): Promise<ReadonlyMap<string, Operations>> {
  // Most rows whose connectors define the operations need no read.
  const own = rows.filter(({ operationsId }) => operationsId === null);
  const operations = new Map(await registry.loadMarked(db, own));
  for (const row of rows) {
    if (row.operationsId === null) continue;
    operations.set(row.id, await registry.loadOperations(db, row));
  }
  registry.keepOperations(new Set(operations.keys()));
  return operations;
}

async function loadWithKeys({
  reads,
  ring,
}: DirectoryDeps): Promise<Pick<Loaded, "snapshot" | "ring">> {
  const loaded = { snapshot: await reads.loadSnapshot(), ring: await ring.reload() };
  if (loaded.snapshot.rows.length > rowsAtOnce) await yieldToEventLoop();
  if (hasEveryKey(loaded)) return loaded;
  // A key may have been removed between the two reads, after its secrets were sealed again. If a key
  // is still missing, calls of the rows that need it fail with a message.
  return { snapshot: await reads.loadSnapshot(), ring: await ring.reload() };
}

function hasEveryKey({ snapshot, ring }: Pick<Loaded, "snapshot" | "ring">): boolean {
  return snapshot.rows.every(({ values }) =>
    values.every(({ sealed }) => {
      const keyId = sealed === null ? null : findKeyId(sealed);
      return keyId === null || ring.keys.has(keyId);
    }),
  );
}

function toDirectory(
  { registry, references, toSettings }: DirectoryDeps,
  { snapshot, ring, operations }: Loaded,
  generation: number,
): Directory {
  const rows = snapshot.rows
    .map((record) => toRow({ registry, ring, references }, record, operations.get(record.id)))
    .sort(compareRows);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    rows,
    find: (rowId) => byId.get(rowId) ?? null,
    ...createRowLookup(rows),
    isTypeDisabled: (connectorKey) => snapshot.typeDisabled.has(connectorKey),
    settings: toSettings(snapshot.settings),
    stamp: `${snapshot.revision}.${generation}`,
  };
}

function toRow(deps: OpenDeps, record: RowRecord, own: Operations | undefined): Row {
  return {
    id: record.id,
    connectorKey: record.connectorKey,
    owner: record.owner,
    label: record.label,
    description: record.description,
    disabled: record.disabled,
    tests: record.tests,
    tags: record.tags,
    operationStates: record.operationStates,
    slug: record.slug,
    version: record.version,
    connectionId: record.connectionId,
    record,
    operations: own ?? deps.registry.find(record.connectorKey)?.operations ?? new Map(),
    config: createConfigOpener(deps, record),
  };
}

function compareRows(a: Row, b: Row): number {
  return (
    compareText(a.connectorKey, b.connectorKey) ||
    compareText(a.label, b.label) ||
    compareText(a.id, b.id)
  );
}

/** By code unit, so that the order does not depend on the locale. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
