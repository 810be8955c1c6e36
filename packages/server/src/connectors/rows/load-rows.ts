import { yieldToEventLoop } from "../../lib/time/yield-to-event-loop.ts";
import { findKeyId } from "../../secrets/at-rest/at-rest.ts";
import type { SecretReferences } from "../../secrets/at-rest/secret-references.ts";
import type { KeyRing } from "../../secrets/keys/key-ring.ts";
import type { RingHolder } from "../../secrets/keys/ring-holder.ts";
import type { Db } from "../../store/database/database.ts";
import type { HotReads, Snapshot } from "../../store/database/hot-reads.ts";
import type { Operations } from "../by-row/row-operation-cache.ts";
import { readRowReferences } from "../managed/read-definitions.ts";
import type { ConnectorRegistry } from "../registry.ts";

type LoadDeps = {
  reads: Pick<HotReads, "loadSnapshot">;
  registry: ConnectorRegistry;
  ring: RingHolder;
  references: Pick<SecretReferences, "managed">;
  /** Of the same database as `reads`. */
  db: Db;
};

/** A snapshot with the key ring of its secrets. */
export type LoadedRows = {
  snapshot: Snapshot;
  ring: KeyRing;
  operations: ReadonlyMap<string, Operations>;
  /** The ids of the references to secrets of managers that name a row, by the row's id. */
  named: ReadonlyMap<string, readonly string[]>;
};

const noNames: LoadedRows["named"] = new Map();

/** After work on more rows, the event loop gets a turn. */
const rowsAtOnce = 1_000;

/** Reads the rows, then the key ring, which may have been rotated. */
export async function loadRows(deps: LoadDeps): Promise<LoadedRows> {
  const { snapshot, ring } = await loadWithKeys(deps);
  // Of this revision or a later one, which the next look loads again.
  const named = deps.references.managed === undefined ? noNames : await readRowReferences(deps.db);
  return { snapshot, ring, operations: await loadOperations(deps, snapshot), named };
}

/** The operations of each row. Only those that changed are read. */
async function loadOperations(
  { db, registry }: LoadDeps,
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
}: LoadDeps): Promise<Pick<LoadedRows, "snapshot" | "ring">> {
  const loaded = { snapshot: await reads.loadSnapshot(), ring: await ring.reload() };
  if (loaded.snapshot.rows.length > rowsAtOnce) await yieldToEventLoop();
  if (hasEveryKey(loaded)) return loaded;
  // A key may have been removed between the two reads, after its secrets were sealed again. If a key
  // is still missing, calls of the rows that need it fail with a message.
  return { snapshot: await reads.loadSnapshot(), ring: await ring.reload() };
}

function hasEveryKey({ snapshot, ring }: Pick<LoadedRows, "snapshot" | "ring">): boolean {
  return snapshot.rows.every(({ values }) =>
    values.every(({ sealed }) => {
      const keyId = sealed === null ? null : findKeyId(sealed);
      return keyId === null || ring.keys.has(keyId);
    }),
  );
}
