import { findOwnKey } from "../../connectors/kept-keys.ts";
import type { ConnectorRegistry } from "../../connectors/registry.ts";
import type { Transaction } from "../../store/database/database.ts";
import {
  listRowOperations,
  replaceRowOperations,
  type StoredDefinition,
  type StoredOperation,
} from "../../store/rows/row-operations-table.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import {
  deleteRow,
  findRow,
  insertRow,
  setRowTags,
  updateRow,
} from "../../store/rows/rows-table.ts";
import { hasSameTags } from "../../store/tags/tag-change.ts";
import { findWorkflow, type WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { loadBody } from "../definition/body-text.ts";
import { defineTool, findToolTrigger } from "./define-tool.ts";
import { toolConnectorKey, toolOperationKey, toolWorkflowField, toToolRowId } from "./tool-row.ts";

/** What became of the tool of a workflow, for the record of changes. */
export type ToolChange = { tool?: "offered" | "withdrawn" };

type SyncDeps = { registry: Pick<ConnectorRegistry, "find"> };

/**
 * Makes the row of a workflow what the workflow is now: called in each transaction that changes a workflow
 * or publishes it. Enabled workflows are offered whose published body has a manual trigger with
 * `as_tool`; to the tags of the workflow, if users with these may start it.
 */
export async function syncToolRow(
  trx: Transaction,
  { registry }: SyncDeps,
  workflowId: string,
  at: number,
): Promise<ToolChange> {
  const connectorKey = findOwnKey(registry, toolConnectorKey);
  if (connectorKey === null) return {};
  const rowId = toToolRowId(workflowId);
  const row = await findRow(trx, rowId);
  const workflow = await findWorkflow(trx, workflowId);
  const definition = workflow && (await readDefinition(trx, workflow));
  if (workflow === null || definition === null) {
    return row === null ? {} : await withdraw(trx, row, { isDeleted: workflow === null, at });
  }
  await putRow(trx, row, { workflow, connectorKey }, at);
  const before = await listRowOperations(trx, rowId);
  const wasOffered = before.some(({ goneAt }) => goneAt === null);
  await putOperations(trx, rowId, {
    before,
    operations: [toOperation(before, definition, at)],
    at,
  });
  return wasOffered ? {} : { tool: "offered" };
}

async function readDefinition(
  trx: Transaction,
  workflow: WorkflowRecord,
): Promise<StoredDefinition | null> {
  const { publishedBodyId, enabled } = workflow;
  if (publishedBodyId === null || !enabled) return null;
  const trigger = findToolTrigger(await loadBody(trx, publishedBodyId));
  if (trigger === null) return null;
  try {
    return defineTool(workflow, trigger);
  } catch {
    // Such a body is refused when it is published. An earlier version of the hub may have accepted it.
    return null;
  }
}

/** A row that an admin has disabled stays, so that publishing again does not enable it. */
async function withdraw(
  trx: Transaction,
  row: RowRecord,
  { isDeleted, at }: { isDeleted: boolean; at: number },
): Promise<ToolChange> {
  const before = await listRowOperations(trx, row.id);
  const wasOffered = before.some(({ goneAt }) => goneAt === null);
  const isSwitched = row.disabled || Object.keys(row.operationStates).length > 0;
  if (isDeleted || !isSwitched) await deleteRow(trx, row.id);
  else {
    const operations = before.map((one) => ({ ...one, goneAt: one.goneAt ?? at }));
    await putOperations(trx, row.id, { before, operations, at });
  }
  return wasOffered ? { tool: "withdrawn" } : {};
}

async function putRow(
  trx: Transaction,
  row: RowRecord | null,
  { workflow, connectorKey }: { workflow: WorkflowRecord; connectorKey: string },
  at: number,
): Promise<void> {
  const { id, name: label, description, tags: own, runBy } = workflow;
  const tags = runBy === "tags" ? own : [];
  if (row === null) {
    const values = [{ key: toolWorkflowField, value: id, sealed: null }];
    const made = { id: toToolRowId(id), connectorKey, createdAt: at };
    await insertRow(trx, { ...made, owner: "built-in", label, description, tags, values });
    return;
  }
  if (row.label !== label || row.description !== description) {
    await updateRow(trx, row.id, { label, description }, at);
  }
  if (!hasSameTags(row.tags, tags)) await setRowTags(trx, row.id, tags, at);
}

/** The publication by a person is the review of the operation. */
function toOperation(
  [before]: readonly StoredOperation[],
  definition: StoredDefinition,
  at: number,
): StoredOperation {
  const isSame = before !== undefined && Bun.deepEquals(before.definition, definition);
  return {
    key: toolOperationKey,
    sourceName: toolOperationKey,
    definition,
    approvedAt: isSame ? before.approvedAt : at,
    pending: null,
    goneAt: null,
  };
}

type OperationsChange = {
  before: readonly StoredOperation[];
  operations: readonly StoredOperation[];
  at: number;
};

async function putOperations(
  trx: Transaction,
  rowId: string,
  { before, operations, at }: OperationsChange,
): Promise<void> {
  if (Bun.deepEquals(before, operations)) return;
  // The same when the transaction runs again.
  const operationsId = Bun.randomUUIDv5(`${at} ${JSON.stringify(operations)}`, rowId);
  await replaceRowOperations(trx, rowId, { operationsId, before, operations }, at);
}
