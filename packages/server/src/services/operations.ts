import type { OperationState } from "@hub/contract/row.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import type { Store } from "../store/open-store.ts";
import { setOperationState } from "../store/states.ts";
import type { ChangeRecorder } from "./change-recorder.ts";
import { findConnector, findOperation } from "./find-connector.ts";
import { findRowByName } from "./find-row.ts";

type OperationDeps = { store: Store; registry: ConnectorRegistry; changes: ChangeRecorder };

export type OperationVerbs = ReturnType<typeof createOperationVerbs>;

/** Verbs on one operation of one row. */
export function createOperationVerbs({ store, registry, changes }: OperationDeps) {
  const setEnabled = (name: string, key: string, enabled: boolean): Promise<OperationState> =>
    store.transaction(async (trx) => {
      const row = await findRowByName(trx, name);
      const operation = findOperation(findConnector(registry, row.connectorKey), key);
      await setOperationState(trx, row.id, operation.key, enabled);
      await changes.record(trx, {
        action: enabled ? "operation.enable" : "operation.disable",
        kind: "row",
        id: row.id,
        name: row.label,
        detail: { operation: operation.key },
      });
      return { row_id: row.id, operation: operation.key, enabled };
    });

  return {
    enable: (row: string, operation: string) => setEnabled(row, operation, true),
    disable: (row: string, operation: string) => setEnabled(row, operation, false),
  };
}
