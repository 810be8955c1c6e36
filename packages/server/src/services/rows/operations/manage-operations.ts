import type { OperationState } from "@hub/contract/row.ts";
import type { OperationForm } from "@hub/contract/row-settings.ts";
import type { Caller } from "../../../caller.ts";
import type { Actor } from "../../../changes/actor.ts";
import { recordChange, stampChange } from "../../../changes/record-change.ts";
import type { Operation } from "../../../connectors/connector-port.ts";
import { HubError } from "../../../errors.ts";
import { transaction } from "../../../store/database/database.ts";
import { setOperationState } from "../../../store/rows/switches.ts";
import { findRowOperation } from "../../connectors/find-connector.ts";
import type { ServiceDeps } from "../../service-deps.ts";
import { loadRow, loadVisibleRow } from "../load-row.ts";
import { toOperationForm } from "../views/present-settings.ts";
import { isShown } from "./list-operations.ts";

type OperationDeps = Pick<ServiceDeps, "store" | "registry" | "now">;

type OperationInput = { operation: string };

/** The inputs of an operation as a form, for callers who see the row. */
export async function showOperation(
  { store, registry }: Pick<OperationDeps, "store" | "registry">,
  caller: Caller,
  rowId: string,
  { operation: key }: OperationInput,
): Promise<OperationForm> {
  const row = await loadVisibleRow(store.db, caller, rowId);
  const operations = await registry.loadOperations(store.db, row);
  const operation = operations.get(key);
  const connector = registry.find(row.connectorKey);
  const isFound = operation !== undefined && isShown(caller, connector, operation);
  // The message for an unknown operation lists all of them, also those that only admins see.
  if (!isFound && caller.role !== "admin") {
    throw new HubError("not_found", `There is no operation "${key}" that you can call.`);
  }
  return toOperationForm(await findRowOperation(registry, store.db, row, key));
}

/** Allows clients to call one operation of a row again. */
export function enableOperation(
  deps: OperationDeps,
  actor: Actor,
  rowId: string,
  { operation }: OperationInput,
): Promise<OperationState> {
  return setEnabled(deps, actor, rowId, operation, true);
}

export function disableOperation(
  deps: OperationDeps,
  actor: Actor,
  rowId: string,
  { operation }: OperationInput,
): Promise<OperationState> {
  return setEnabled(deps, actor, rowId, operation, false);
}

/** Enabling would look as if the operation could be called then. */
function checkReviewed({ key, fromRow }: Operation): void {
  const review = fromRow?.review ?? null;
  if (review === null) return;
  if (review === "invalid") {
    throw new HubError(
      "conflict",
      `The outside system describes the operation "${key}" in a way that the hub cannot use. See the reason with \`hub bridge review\`.`,
    );
  }
  throw new HubError(
    "conflict",
    review === "gone"
      ? `The outside system no longer offers the operation "${key}". Discover the row's operations again with \`hub bridge discover\`.`
      : `The operation "${key}" waits for a review. See it with \`hub bridge review\`, and approve it with \`hub bridge approve\`.`,
  );
}

async function setEnabled(
  { store, registry, now }: OperationDeps,
  actor: Actor,
  rowId: string,
  key: string,
  enabled: boolean,
): Promise<OperationState> {
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    const row = await loadRow(trx, rowId);
    const operation = await findRowOperation(registry, trx, row, key);
    if (enabled) checkReviewed(operation);
    await setOperationState(trx, row.id, operation.key, enabled, stamp.changedAt);
    await recordChange(trx, stamp, {
      action: enabled ? "operation.enable" : "operation.disable",
      kind: "row",
      id: row.id,
      name: row.label,
      detail: { operation: operation.key },
    });
    return { row_id: row.id, operation: operation.key, enabled };
  });
}
