import { findKeyId } from "../secrets/at-rest.ts";
import type { KeyRing } from "../secrets/key-ring.ts";
import type { RingHolder } from "../secrets/ring-holder.ts";
import type { HotReads, Snapshot } from "../store/hot-reads.ts";
import type { RowRecord } from "../store/rows.ts";
import type { LiveSettings, StoredSettings } from "../stored-settings.ts";
import { openRowConfig, type RowConfig } from "./open-row-config.ts";
import type { ConnectorRegistry } from "./registry.ts";

/** One configured instance of a connector, as it is now. */
export type Row = Pick<
  RowRecord,
  "id" | "connectorKey" | "label" | "description" | "disabled" | "tags" | "operationStates"
> & {
  /** Decrypted when first asked for, then kept for as long as the row does not change. */
  config(): RowConfig;
};

/** Every row, which connector types are switched off, and the settings in force, at one moment. */
export type Directory = {
  /** Sorted by connector, label and id, so that lists come in one order everywhere. */
  rows: readonly Row[];
  find(rowId: string): Row | null;
  isTypeDisabled(connectorKey: string): boolean;
  settings: LiveSettings;
  /** Differs whenever anything in here, or the registry, does. */
  stamp: string;
};

export type RowDirectory = {
  /** The rows as they are now: a change by any process is seen by the next call. */
  current(): Promise<Directory>;
};

type DirectoryDeps = {
  reads: Pick<HotReads, "readRevision" | "loadSnapshot">;
  registry: ConnectorRegistry;
  ring: RingHolder;
  /** Makes the registry hold the plugins as they are now; asked once for each revision. */
  followPlugins(): Promise<unknown>;
  /** Settings in force, where these are stored. */
  toSettings(stored: StoredSettings): LiveSettings;
};

export function createRowDirectory(deps: DirectoryDeps): RowDirectory {
  const plugins = createFollower(deps.followPlugins);
  let directory: Directory | null = null;
  let revision = -1;
  let generation = -1;

  return {
    async current() {
      // Every call writes audit rows, so that whether anyone has committed says nothing; only the
      // revision tells that configuration changed, and reading it takes two microseconds.
      const present = await deps.reads.readRevision();
      if (!plugins.isAt(present)) await plugins.follow(present);
      const loadedGeneration = deps.registry.generation();
      if (directory !== null && present === revision && loadedGeneration === generation) {
        return directory;
      }
      const loaded = await loadTogether(deps);
      const { snapshot } = loaded;
      // A slower load that began earlier must not replace a newer one.
      if (directory === null || snapshot.revision >= revision) {
        directory = toDirectory(deps, loaded, loadedGeneration);
        revision = snapshot.revision;
        generation = loadedGeneration;
      }
      return directory;
    },
  };
}

/** Those who ask for the same revision wait for one look; after a failure the next one looks again. */
function createFollower(follow: () => Promise<unknown>) {
  let followed = -1;
  let underWay: { revision: number; look: Promise<unknown> } | null = null;
  return {
    isAt: (revision: number) => revision <= followed,
    async follow(revision: number): Promise<void> {
      // A look that began at an earlier revision may have missed what this one changed.
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

/** A snapshot with the keys that its secrets are sealed with. */
type Loaded = { snapshot: Snapshot; ring: KeyRing };

/** Reads the rows, then the key ring, which a change of configuration may have rotated. */
async function loadTogether({ reads, ring }: DirectoryDeps): Promise<Loaded> {
  const loaded = { snapshot: await reads.loadSnapshot(), ring: await ring.reload() };
  if (holdsEveryKey(loaded)) return loaded;
  // A key may have been removed between the two reads, once its secrets were sealed anew. A key
  // that is missing still is gone: the rows that need it say so when they are called.
  return { snapshot: await reads.loadSnapshot(), ring: await ring.reload() };
}

function holdsEveryKey({ snapshot, ring }: Loaded): boolean {
  return snapshot.rows.every(({ values }) =>
    values.every(({ sealed }) => {
      const keyId = sealed === null ? null : findKeyId(sealed);
      return keyId === null || ring.keys.has(keyId);
    }),
  );
}

function toDirectory(
  { registry, toSettings }: DirectoryDeps,
  { snapshot, ring }: Loaded,
  generation: number,
): Directory {
  const rows = snapshot.rows.map((record) => toRow({ registry, ring }, record)).sort(compareRows);
  const byId = new Map(rows.map((row) => [row.id, row]));
  return {
    rows,
    find: (rowId) => byId.get(rowId) ?? null,
    isTypeDisabled: (connectorKey) => snapshot.typeDisabled.has(connectorKey),
    settings: toSettings(snapshot.settings),
    stamp: `${snapshot.revision}.${generation}`,
  };
}

function toRow(deps: Parameters<typeof openRowConfig>[0], record: RowRecord): Row {
  let config: RowConfig | null = null;
  return {
    id: record.id,
    connectorKey: record.connectorKey,
    label: record.label,
    description: record.description,
    disabled: record.disabled,
    tags: record.tags,
    operationStates: record.operationStates,
    config() {
      config ??= openRowConfig(deps, record);
      return config;
    },
  };
}

function compareRows(a: Row, b: Row): number {
  return (
    compareText(a.connectorKey, b.connectorKey) ||
    compareText(a.label, b.label) ||
    compareText(a.id, b.id)
  );
}

/** By code unit: the same order on every machine, whatever its language. */
function compareText(a: string, b: string): number {
  if (a === b) return 0;
  return a < b ? -1 : 1;
}
