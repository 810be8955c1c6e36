import type { RowView } from "@hub/contract/row.ts";
import type { Caller } from "../../../caller.ts";
import { isVisible } from "../../../connectors/rows/row-visibility.ts";
import { findTestRefusal } from "../../../operations/admission/testable.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { findRow } from "../../../store/rows/rows-table.ts";
import { listDisabledTypes } from "../../../store/rows/switches.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadVisibleRow } from "../load-row.ts";
import { countOperations, isShown } from "../operations/list-operations.ts";
import { readRowStates } from "../states/read-row-states.ts";
import { listWidgets } from "../widgets/list-widgets.ts";
import { toRow, toRowOperation, withOwnTags } from "./present-row.ts";

type VisibleDeps = Pick<ServiceDeps, "store" | "registry">;

export async function isRowVisible(
  { store }: Pick<VisibleDeps, "store">,
  caller: Caller,
  id: string,
): Promise<boolean> {
  const row = await findRow(store.db, id.toLowerCase());
  return row !== null && isVisible(caller, row);
}

/** Throws `not_found` for a row that the caller does not see, and `forbidden` for one that they may not test. */
export async function checkTestable(
  { store }: Pick<VisibleDeps, "store">,
  caller: Caller,
  id: string,
): Promise<void> {
  const row = await loadVisibleRow(store.db, caller, id);
  const refusal = findTestRefusal(caller, row);
  if (refusal !== null) throw refusal;
}

/** A row as the caller sees it, with its operations or only their counts. */
export async function viewRow(
  { store, registry }: VisibleDeps,
  caller: Caller,
  id: string,
  { withOperations = true } = {},
): Promise<RowView> {
  const row = await loadVisibleRow(store.db, caller, id);
  const connector = registry.find(row.connectorKey);
  const all = await registry.loadOperations(store.db, row);
  const operations = [...all.values()]
    .filter((operation) => isShown(caller, connector, operation))
    .map((operation) => toRowOperation(operation, row));
  const disabledTypes = await listDisabledTypes(store.db);
  const isTypeDisabled = (key: string) => disabledTypes.has(key);
  return {
    ...withOwnTags(caller, toRow({ registry, isTypeDisabled }, row)),
    ...(await stateRow({ store, registry }, caller, row)),
    operations: withOperations ? operations : [],
    operation_counts: countOperations(operations),
    widgets: listWidgets(caller, connector, row),
  };
}

/** The state of a row as the caller sees it, with its calls. */
export async function readRowState(
  deps: VisibleDeps,
  caller: Caller,
  id: string,
): Promise<Pick<RowView, "state" | "activity">> {
  return await stateRow(deps, caller, await loadVisibleRow(deps.store.db, caller, id));
}

async function stateRow(
  deps: VisibleDeps,
  caller: Caller,
  row: RowRecord,
): Promise<Pick<RowView, "state" | "activity">> {
  const stated = (await readRowStates(deps, caller, [row])).get(row.id);
  if (stated === undefined) throw new Error(`No state was found for the row ${row.id}.`);
  return { state: stated.state, activity: stated.activity };
}
