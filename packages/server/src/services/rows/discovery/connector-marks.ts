import { toMarkedDefinition, toMarkedFor } from "../../../connectors/by-row/marked-operations.ts";
import type { RegisteredConnector } from "../../../connectors/connector-port.ts";
import { HubError } from "../../../errors.ts";
import type { StoredOperation } from "../../../store/rows/row-operations-table.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { findOperation } from "../../connectors/find-connector.ts";

type MarkedRow = Pick<RowRecord, "label" | "values">;

/** The keys of a connector's operations that admins mark, row by row. */
export function listMarkable({ operations }: Pick<RegisteredConnector, "operations">): string[] {
  return [...operations.values()].flatMap(({ key, isMarkable }) => (isMarkable ? [key] : []));
}

/** All marks of a row with those of `keys`, as they are stored. Throws if one of them cannot be marked. */
export function addMarks(
  connector: RegisteredConnector,
  row: MarkedRow,
  marked: ReadonlyMap<string, StoredOperation>,
  { keys, at }: { keys: readonly string[]; at: number },
): StoredOperation[] {
  const markedFor = toMarkedFor(connector, row);
  const added = new Map(
    keys.map((key): [string, StoredOperation] => {
      const operation = findOperation(connector, key);
      if (!operation.isMarkable) throw refuseMark(connector, operation);
      const definition = toMarkedDefinition(operation, markedFor);
      const mark = { key, sourceName: key, definition, approvedAt: at, pending: null };
      return [key, { ...mark, goneAt: null, reads: true }];
    }),
  );
  return [...connector.operations.keys()].flatMap((key) => marked.get(key) ?? added.get(key) ?? []);
}

/** The refusal of a mark that the author of the connector has already decided. */
function refuseMark(
  connector: RegisteredConnector,
  { key, destructive }: { key: string; destructive: boolean },
): HubError {
  return new HubError(
    "conflict",
    destructive
      ? `The operation "${key}" of ${connector.name} is destructive, so it cannot be marked as one that only reads. Clients call it with hub_execute.`
      : `The author of ${connector.name} says which of its operations only read, so "${key}" cannot be marked.`,
  );
}
