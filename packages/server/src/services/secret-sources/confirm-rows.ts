import type { SecretDestination } from "@hub/contract/secret-source.ts";
import { listDestinations } from "../../connectors/managed/check-destination.ts";
import { toPlainTexts } from "../../connectors/rows/to-plain-texts.ts";
import { HubError } from "../../errors.ts";
import { toBadRequest } from "../../lib/input/check-input.ts";
import type { ReferenceRow } from "../../secrets/sources/secret-definitions.ts";
import type { Transaction } from "../../store/database/database.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import { findConnector } from "../connectors/find-connector.ts";
import { loadRow } from "../rows/load-row.ts";
import type { ServiceDeps } from "../service-deps.ts";

/** Where rows would send a secret now, for an admin who confirms it. Without rows that are gone or lack their connector. */
export async function listRowDestinations(
  { store, registry }: Pick<ServiceDeps, "store" | "registry">,
  ids: readonly string[],
): Promise<SecretDestination[]> {
  if (ids.length === 0) return [];
  const rows = await listRows(store.db, { ids: [...ids] });
  return rows
    .filter(({ connectorKey }) => registry.find(connectorKey) !== null)
    .map((row) => ({ id: row.id, label: row.label, addresses: readAddresses(registry, row) }));
}

type Wanted = {
  rows: readonly string[];
  /** The addresses that the admin saw. */
  confirmed: readonly ReferenceRow[];
  /** The rows of the reference so far. They stay as they are if they are not confirmed. */
  before: readonly ReferenceRow[];
};

/**
 * The rows of a reference with their addresses. Throws `conflict` if a row has other addresses than those that were seen.
 * Attack: a token that changes rows points one elsewhere between the admin's look and the admin's click.
 */
export async function confirmRows(
  registry: ServiceDeps["registry"],
  trx: Transaction,
  { rows, confirmed, before }: Wanted,
): Promise<ReferenceRow[]> {
  const confirmedRows: ReferenceRow[] = [];
  for (const id of rows) {
    const seen = confirmed.find((row) => row.id.toLowerCase() === id);
    const kept = before.find((row) => row.id === id);
    if (seen === undefined && kept !== undefined) {
      confirmedRows.push(kept);
      continue;
    }
    const row = await loadRow(trx, id);
    const addresses = readAddresses(registry, row);
    if (seen === undefined) throw toUnconfirmed(row);
    if (!Bun.deepEquals([...seen.addresses], addresses)) throw toMoved(row, addresses);
    confirmedRows.push({ id: row.id, addresses });
  }
  return confirmedRows;
}

function readAddresses(registry: ServiceDeps["registry"], row: RowRecord): string[] {
  const connector = findConnector(registry, row.connectorKey);
  return listDestinations({ connector, texts: toPlainTexts(row) });
}

function toUnconfirmed({ id }: RowRecord): HubError {
  return toBadRequest([
    {
      path: "confirm_rows",
      message: `must have the addresses of the row ${id}, as GET /admin/api/secret-destinations shows them.`,
    },
  ]);
}

function toMoved({ label }: RowRecord, addresses: readonly string[]): HubError {
  return new HubError(
    "conflict",
    `The row "${label}" sends its secrets elsewhere than was shown. Now it is: ${addresses.join(", ")}. Look at it, then confirm again.`,
  );
}
