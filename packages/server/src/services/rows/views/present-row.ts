import { type FieldSpec, toSettings } from "@hub/connector";
import type { Row, RowDetail, RowOperation, RowValue } from "@hub/contract/row.ts";
import { toTimeText } from "@hub/contract/time.ts";
import type { Caller } from "../../../caller.ts";
import type { Operations } from "../../../connectors/by-row/row-operation-cache.ts";
import type { Operation } from "../../../connectors/connector-port.ts";
import { findRowLogo } from "../../../connectors/logos/find-logo.ts";
import type { ConnectorRegistry } from "../../../connectors/registry.ts";
import { findMissingFields } from "../../../connectors/rows/find-missing-fields.ts";
import { toToolId } from "../../../operations/catalogue/tool-id.ts";
import type { Db } from "../../../store/database/database.ts";
import type { RowRecord } from "../../../store/rows/row-record.ts";
import { listDisabledTypes } from "../../../store/rows/switches.ts";
import { EVERYONE_TAG } from "../../../store/tags/tags-table.ts";
import { loadRow } from "../load-row.ts";

type PresentDeps = {
  registry: ConnectorRegistry;
  isTypeDisabled(connectorKey: string): boolean;
};

/** A stored row as lists show it. */
export function toRow({ registry, isTypeDisabled }: PresentDeps, row: RowRecord): Row {
  const connector = registry.find(row.connectorKey);
  return {
    id: row.id,
    connector: row.connectorKey,
    label: row.label,
    logo: findRowLogo(row, connector),
    ...(row.slug !== null && { slug: row.slug }),
    description: row.description,
    tags: row.tags,
    tests: row.tests,
    access: row.access,
    disabled: row.disabled,
    disabled_type: isTypeDisabled(row.connectorKey),
    missing: connector && findMissingFields(connector.configFields, row).map((field) => field.key),
    version: row.version,
    created_at: toTimeText(row.createdAt),
    updated_at: toTimeText(row.updatedAt),
  };
}

/** Only admins see the tags of other users. */
export function withOwnTags<Tagged extends { tags: string[] }>(
  caller: Caller,
  row: Tagged,
): Tagged {
  if (caller.role === "admin") return row;
  return { ...row, tags: row.tags.filter((tag) => tag === EVERYONE_TAG || caller.tags.has(tag)) };
}

/** The current row; in a transaction, with the changes made there. */
export async function readRowDetail(
  db: Db,
  registry: ConnectorRegistry,
  id: string,
): Promise<RowDetail> {
  const disabledTypes = await listDisabledTypes(db);
  const row = await loadRow(db, id);
  const operations = toRowOperations(await registry.loadOperations(db, row), row);
  const isTypeDisabled = (key: string) => disabledTypes.has(key);
  return toRowDetail({ registry, isTypeDisabled }, row, operations);
}

/** A stored row with all that may be shown. A secret shows only whether it is set. */
function toRowDetail(deps: PresentDeps, row: RowRecord, operations: RowOperation[]): RowDetail {
  const connector = deps.registry.find(row.connectorKey);
  return {
    ...toRow(deps, row),
    values: connector === null ? [] : toRowValues(connector.configFields, row),
    operations,
  };
}

function toRowValues(fields: readonly FieldSpec[], row: RowRecord): RowValue[] {
  const texts: Record<string, string> = Object.create(null);
  for (const { key, value } of row.values) if (value !== null) texts[key] = value;
  const set = new Set(row.values.map((stored) => stored.key));
  const groups = toSettings(fields, texts, { isSet: (key) => set.has(key) });
  return groups
    .flatMap((group) => group.rows)
    .map((setting) => ({
      key: setting.key,
      value: setting.value || null,
      is_set: setting.isSet,
      secret: setting.secret,
      required: setting.required,
      description: setting.description ?? "",
    }));
}

function toRowOperations(operations: Operations, row: RowRecord): RowOperation[] {
  return [...operations.values()].map((operation) => toRowOperation(operation, row));
}

export function toRowOperation(operation: Operation, row: RowRecord): RowOperation {
  return {
    key: operation.key,
    tool_id: toToolId(row.id, operation.key),
    name: operation.name,
    enabled: row.operationStates[operation.key] ?? true,
    ...(operation.fromRow && { review: operation.fromRow.review }),
    destructive: operation.destructive,
    reads: operation.reads === true,
    may_mark: operation.fromRow !== undefined || operation.isMarkable === true,
    test_only: operation.configOnly || operation.adminOnly,
  };
}
