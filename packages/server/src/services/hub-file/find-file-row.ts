import type { HubFileRow } from "@hub/contract/hub-file.ts";
import { ownKeyPrefix } from "@hub/contract/reserved-keys.ts";
import type { RegisteredConnector } from "../../connectors/connector-port.ts";
import { describeOwner, toRowOwner } from "../../connectors/rows/row-owner.ts";
import type { ValuePath } from "../../lib/yaml/find-position.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import { findConnector } from "../connectors/find-connector.ts";
import type { ApplyContext } from "./apply-context.ts";

/** The rows before the file, by id and by what else finds them. Read once: a file may have thousands. */
export type PresentRows = {
  byId: ReadonlyMap<string, RowRecord>;
  byName: ReadonlyMap<string, RowRecord[]>;
};

export async function readPresentRows({ deps }: ApplyContext): Promise<PresentRows> {
  const rows = await listRows(deps.store.db);
  return {
    byId: new Map(rows.map((row) => [row.id, row])),
    byName: Map.groupBy(rows, ({ connectorKey, label }) => toNameKey(connectorKey, label)),
  };
}

/** What finds a row without an id. */
export function toNameKey(connector: string, label: string): string {
  return `${connector} ${label.trim()}`;
}

/** The row of this hub that the file means; null if there is none. */
export function findPresent(
  { refuse }: ApplyContext,
  place: ValuePath,
  { id, connector, label }: HubFileRow,
  { byId, byName }: PresentRows,
): RowRecord | null {
  if (id !== undefined) {
    const row = byId.get(id.toLowerCase()) ?? null;
    if (row !== null && row.connectorKey !== connector) {
      const message = `The row with this id is of the connector "${row.connectorKey}". The connector of a row never changes: write another id, or none.`;
      throw refuse([...place, "connector"], message);
    }
    return row;
  }
  const rows = byName.get(toNameKey(connector, label)) ?? [];
  if (rows.length <= 1) return rows[0] ?? null;
  const ids = rows.map((row) => row.id).join(", ");
  throw refuse(
    place,
    `${rows.length} rows have this connector and label. Write id: one of ${ids}.`,
  );
}

/** Throws for a connector of other code than the file's row is of: it would get the secrets of that row. */
export function findFileConnector(
  { deps: { registry }, refuse }: ApplyContext,
  place: ValuePath,
  { connector: key, from }: HubFileRow,
): RegisteredConnector {
  const found = registry.find(key);
  const ownKey = `${ownKeyPrefix}${key}`;
  const isMoved = from === "built-in" && registry.find(ownKey)?.tier === "builtin";
  const advice = isMoved ? `Write connector: ${ownKey}.` : "Take the row out of the file.";
  if (found === null && isMoved) {
    const message = `On this hub the key "${key}" belongs to a plugin. ${advice}`;
    throw refuse([...place, "connector"], message);
  }
  const connector = found ?? findConnector(registry, key);
  const present = toRowOwner(connector);
  if (from === undefined || from === present) return connector;
  throw refuse(
    [...place, "from"],
    `The file's row is of ${describeOwner(from, key)}, and on this hub the key belongs to ${describeOwner(present, key)}. ${advice}`,
  );
}
