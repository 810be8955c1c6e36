import { HubError } from "../../errors.ts";
import type { RowOwner, RowRecord } from "../../store/rows/row-record.ts";
import type { RegisteredConnector } from "../connector-port.ts";

/** The owner of the rows that are made for a connector. */
export function toRowOwner({ tier }: Pick<RegisteredConnector, "tier">): RowOwner {
  return tier === "plugin" ? "plugin" : "built-in";
}

type OwnedRow = Pick<RowRecord, "owner" | "label">;
type OwnerConnector = Pick<RegisteredConnector, "tier" | "key">;

/** Throws the `conflict` of a row that was made for other code. */
export function checkRowOwner(row: OwnedRow, connector: OwnerConnector): void {
  const conflict = findOwnerConflict(row, connector);
  if (conflict !== null) throw conflict;
}

/**
 * Attack: a plugin with the key of a built-in connector, or the other way round, would get the secrets of rows that
 * were made for the other. The conflict of such a row; null if the row was made for the connector.
 */
export function findOwnerConflict(
  { owner, label }: OwnedRow,
  connector: OwnerConnector,
): HubError | null {
  if (owner === null || owner === toRowOwner(connector)) return null;
  return new HubError(
    "conflict",
    `"${label}" was made for ${describeOwner(owner, connector.key)}, and this hub now has ${describeOwner(toRowOwner(connector), connector.key)}, which does not get its secrets. Ask an admin to make a new row.`,
  );
}

export function describeOwner(owner: RowOwner, key: string): string {
  return owner === "plugin" ? `the plugin "${key}"` : `the built-in connector "${key}"`;
}
