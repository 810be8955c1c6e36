import type { Caller } from "../../caller.ts";
import type { Operations } from "../../connectors/by-row/row-operation-cache.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { LOCAL_ADMIN_ID, localAdmin } from "../../identity/local-admin.ts";
import { toCaller } from "../../identity/to-caller.ts";
import { isOffered } from "../../operations/admission/offered.ts";
import { parseToolId } from "../../operations/catalogue/tool-id.ts";
import type { RowRecord } from "../../store/rows/row-record.ts";
import { listChannelRows, listRows } from "../../store/rows/rows-table.ts";
import { listWorkflowPage, type WorkflowRecord } from "../../store/workflows/workflows-table.ts";
import { findChannel } from "../channels/find-channel.ts";
import type { DefinitionDeps } from "../definition/definition-deps.ts";
import { listNamed } from "../definition/walk-body.ts";
import { findAccess } from "../definition/workflow-access.ts";

/** What an operation of a row is called, for a reader who sees the row. */
export type ExplainedOperation = {
  rowLabel: string;
  connectorName: string;
  operationName: string;
  destructive: boolean;
  idempotent?: boolean | undefined;
};

/** What an explanation says beside the body. What the reader does not see is absent. */
export type ExplainWorld = {
  workflowId: string;
  name: string;
  /** The time zone of triggers without one. */
  timezone: string;
  /** Of the user that runs act as. */
  ownerEmail: string;
  findOperation(toolId: string): ExplainedOperation | null;
  findChannelLabel(name: string): string | null;
  /** The operation that an action of a channel calls. */
  findAction(channel: string, key: string): ExplainedOperation | null;
  findWorkflowName(id: string): string | null;
};

type WorldDeps = Pick<DefinitionDeps, "store" | "registry">;

/** Ids in one statement. */
const partMax = 500;

/** What a reader of a workflow may know of the parts that its body names. */
export async function readExplainWorld(
  deps: WorldDeps,
  reader: Caller,
  workflow: WorkflowRecord,
  body: unknown,
): Promise<ExplainWorld> {
  const { store, registry } = deps;
  const { toolIds, workflowIds, hasChannels } = listNamed(body);
  const rows = new Map<string, RowRecord>();
  const rowIds = [...new Set(toolIds.flatMap((id) => parseToolId(id)?.rowId ?? []))];
  for (let start = 0; start < rowIds.length; start += partMax) {
    const found = await listRows(store.db, { ids: rowIds.slice(start, start + partMax) });
    for (const row of found) if (isVisible(reader, row)) rows.set(row.id, row);
  }
  const ids = workflowIds.filter((id) => id !== "*").slice(0, partMax);
  const found =
    ids.length === 0 ? [] : await listWorkflowPage(store.db, { ids }, { limit: ids.length });
  const names = new Map(
    found.flatMap((one) => (findAccess(reader, one) === null ? [] : [[one.id, one.name] as const])),
  );
  const operationsOf = new Map<string, Operations>();
  for (const row of rows.values()) {
    operationsOf.set(row.id, await registry.loadOperations(store.db, row));
  }
  const owner = await store.reads.findUserAccess(workflow.ownerId);
  const ownerCaller = owner && toCaller(owner, null);
  const channelRows = hasChannels ? await listChannelRows(store.db, {}) : [];
  const findChannelRow = (name: string) => {
    // The channel is that which the owner sees, since runs act as the owner.
    const row = ownerCaller && findChannel(channelRows, ownerCaller, name);
    return row && isVisible(reader, row) ? row : null;
  };
  const describe = (row: RowRecord, key: string): ExplainedOperation | null => {
    const connector = registry.find(row.connectorKey);
    const operation = (operationsOf.get(row.id) ?? connector?.operations)?.get(key);
    if (!connector || !operation || !isOffered(operation)) return null;
    return {
      rowLabel: row.label,
      connectorName: connector.name,
      operationName: operation.name,
      destructive: operation.destructive,
      idempotent: operation.idempotent,
    };
  };
  return {
    workflowId: workflow.id,
    name: workflow.name,
    timezone: Intl.DateTimeFormat().resolvedOptions().timeZone,
    ownerEmail: workflow.ownerId === LOCAL_ADMIN_ID ? localAdmin.email : (owner?.email ?? ""),
    findOperation(toolId) {
      const address = parseToolId(toolId);
      const row = address && rows.get(address.rowId);
      return row ? describe(row, address.operationKey) : null;
    },
    findChannelLabel: (name) => findChannelRow(name)?.label ?? null,
    findAction(name, key) {
      const row = findChannelRow(name);
      return row && describe(row, key);
    },
    findWorkflowName: (id) => names.get(id) ?? null,
  };
}
