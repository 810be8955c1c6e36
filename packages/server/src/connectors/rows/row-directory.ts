import type { SeenRevision } from "../../caller.ts";
import { isManaged } from "../../secrets/at-rest/at-rest.ts";
import type { SecretReferences } from "../../secrets/at-rest/secret-references.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Db } from "../../store/database/database.ts";
import type { HotReads } from "../../store/database/hot-reads.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import type { LiveSettings, StoredSettings } from "../../stored-settings.ts";
import type { Operations } from "../by-row/row-operation-cache.ts";
import { createRowReferences, type RowReferences } from "../managed/row-references.ts";
import type { ConnectorRegistry } from "../registry.ts";
import { compareRows } from "./compare-rows.ts";
import { createFollower } from "./follow-plugins.ts";
import { type LoadedRows, loadRows } from "./load-rows.ts";
import {
  createConfigOpener,
  type OpenDeps,
  openPersonalConfig,
  prepareSecrets,
  type RowConfig,
  requireConnector,
} from "./open-row-config.ts";
import { createRowLookup, type RowLookup } from "./row-lookup.ts";
import { createRuleIndex, type RuleIndex } from "./rule-index.ts";
import { toPlainTexts } from "./to-plain-texts.ts";

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
  | "access"
> & {
  /** What is stored of it. */
  record: RowRecord;
  /** Its own operations, or those of its connector. */
  operations: Operations;
  /** Decrypted on first use, then cached until the row or a secret that is kept outside the hub changes. */
  config(): RowConfig;
  /**
   * Reads the row's secrets that are kept in secret managers, unless current values are kept. Call it before `config`. Absent
   * for rows without such secrets. What cannot be read is said by `config`.
   */
  prepare?(): Promise<void>;
  /** Secrets of managers in the values of its calls. Absent for a row that is not stored. */
  references?: RowReferences;
  /** Whether its calls may have secrets of managers. Then tokens of its secrets in results open nowhere. */
  isManaged?: boolean;
  /** The same for calls with these texts of an account of a user. */
  openPersonal(texts: Readonly<Record<string, string>>): RowConfig;
  /** The account of a user with which a call uses the row. */
  account?: RowAccount;
};

/** An account of a user, and the row that it stands in. */
export type RowAccount = {
  id: string;
  /** Of what is sealed in it now. */
  tokensId: string;
  kind: "token" | "oauth";
  userId: string;
  /** Epoch ms; null before its first call. */
  usedAt: number | null;
  /** The row without the account. */
  row: Row;
};

/** A snapshot of all rows, the disabled connector types and the effective settings. */
export type Directory = RowLookup<Row> & {
  /** Sorted by connector, label and id, the order of all lists. */
  rows: readonly Row[];
  find(rowId: string): Row | null;
  isTypeDisabled(connectorKey: string): boolean;
  settings: LiveSettings;
  /** What calls are judged by. */
  rules: RuleIndex;
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
    const loaded = await loadRows(deps);
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

function toDirectory(
  { registry, references, toSettings }: DirectoryDeps,
  { snapshot, ring, operations, named }: LoadedRows,
  generation: number,
): Directory {
  const rows = snapshot.rows
    .map((record) =>
      toRow({ registry, ring, references }, record, {
        own: operations.get(record.id),
        named: named.get(record.id) ?? noNames,
      }),
    )
    .sort(compareRows);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    rows,
    find: (rowId) => byId.get(rowId) ?? null,
    ...createRowLookup(rows),
    isTypeDisabled: (connectorKey) => snapshot.typeDisabled.has(connectorKey),
    settings: toSettings(snapshot.settings),
    rules: createRuleIndex(snapshot.rules),
    stamp: `${snapshot.revision}.${generation}`,
  };
}

const noNames: readonly string[] = [];

function toRow(
  deps: OpenDeps,
  record: RowRecord,
  { own, named }: { own: Operations | undefined; named: readonly string[] },
): Row {
  const hasManaged =
    named.length > 0 || record.values.some(({ sealed }) => sealed !== null && isManaged(sealed));
  const references = createRowReferences(deps.references.managed, named, () => ({
    rowId: record.id,
    connector: requireConnector(deps, record),
    texts: toPlainTexts(record),
  }));
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
    access: record.access,
    record,
    operations: own ?? deps.registry.find(record.connectorKey)?.operations ?? new Map(),
    config: createConfigOpener(deps, record),
    references,
    ...(hasManaged && {
      isManaged: true,
      prepare: async () => {
        await Promise.all([prepareSecrets(deps, record), references.prepare()]);
      },
    }),
    openPersonal: (texts) => openPersonalConfig(deps, record, texts),
  };
}
