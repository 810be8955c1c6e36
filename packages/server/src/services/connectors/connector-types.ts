import type { FieldSpec, OperationSpec } from "@hub/connector";
import type {
  AbsentConnector,
  ConnectorField,
  ConnectorOperation,
  ConnectorType,
  ConnectorTypeDetail,
  ListedConnectorType,
  TypeState,
} from "@hub/contract/connector-type.ts";
import type { Caller } from "../../caller.ts";
import type { Actor } from "../../changes/actor.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { mayHaveAccounts } from "../../connectors/accounts/personal-fields.ts";
import type { Operation, RegisteredConnector } from "../../connectors/connector-port.ts";
import { findConnectorLogo } from "../../connectors/logos/find-logo.ts";
import { toVisibleTags } from "../../connectors/rows/row-visibility.ts";
import { HubError } from "../../errors.ts";
import { isForAdmins } from "../../operations/admission/for-admins.ts";
import { isOffered } from "../../operations/admission/offered.ts";
import { type Db, transaction } from "../../store/database/database.ts";
import { listTagsByConnector } from "../../store/rows/row-summaries.ts";
import { countRowsByConnector } from "../../store/rows/rows-table.ts";
import { listDisabledTypes, setTypeState } from "../../store/rows/switches.ts";
import type { ServiceDeps } from "../service-deps.ts";
import { findConnector } from "./find-connector.ts";

type TypeDeps = Pick<ServiceDeps, "store" | "registry" | "now">;

/** All connectors: the built-in ones and those of plugins. */
export async function listTypes({
  store,
  registry,
}: Pick<TypeDeps, "store" | "registry">): Promise<ConnectorType[]> {
  const usage = await loadUsage(store.db);
  return registry.list().map((connector) => toType(connector, usage));
}

export async function showType(
  { store, registry }: Pick<TypeDeps, "store" | "registry">,
  key: string,
): Promise<ConnectorTypeDetail> {
  const connector = findConnector(registry, key);
  return {
    ...toType(connector, await loadUsage(store.db)),
    fields: connector.configFields.map(toField),
    operations: [...connector.operations.values()].map(toOperation),
  };
}

/** Each row may have a tag of its own. */
const namedTagsMax = 10;

function toRowTags(tags: readonly string[]) {
  return { row_tags: tags.slice(0, namedTagsMax), row_tag_count: tags.length };
}

/**
 * Admins see every connector and the tags of its rows, other users those with a row that they see.
 * `absent` has the keys of rows without a connector.
 */
export async function listVisibleTypes(
  { store, registry }: Pick<TypeDeps, "store" | "registry">,
  caller: Caller,
): Promise<{ connectors: ListedConnectorType[]; absent: AbsentConnector[] }> {
  const usage = await loadUsage(store.db, caller);
  const tags = caller.role === "admin" ? await listTagsByConnector(store.db) : null;
  const connectors = registry.list().map((connector) => ({
    ...toType(connector, usage, caller),
    ...(tags !== null && toRowTags(tags.get(connector.key) ?? [])),
  }));
  const known = new Set(connectors.map(({ key }) => key));
  return {
    connectors: connectors.filter((type) => caller.role === "admin" || type.rows > 0),
    absent: [...usage.rowCounts]
      .filter(([key]) => !known.has(key))
      .map(([key, rows]) => ({ key, rows })),
  };
}

/** Throws `not_found` for a connector of which the caller sees no row. */
export async function viewType(
  { store, registry }: Pick<TypeDeps, "store" | "registry">,
  caller: Caller,
  key: string,
): Promise<ConnectorTypeDetail> {
  const connector = registry.find(key);
  const usage = await loadUsage(store.db, caller);
  if (connector === null || (caller.role !== "admin" && !usage.rowCounts.has(key))) {
    throw new HubError("not_found", "There is no such connector.");
  }
  return {
    ...toType(connector, usage, caller),
    fields: caller.role === "admin" ? connector.configFields.map(toField) : [],
    operations: listOperations(connector, caller).map(toOperation),
  };
}

export function enableType(deps: TypeDeps, actor: Actor, key: string): Promise<TypeState> {
  return setDisabled(deps, actor, key, false);
}

/** Disables all rows and operations of the connector. */
export function disableType(deps: TypeDeps, actor: Actor, key: string): Promise<TypeState> {
  return setDisabled(deps, actor, key, true);
}

async function setDisabled(
  { store, registry, now }: TypeDeps,
  actor: Actor,
  typeKey: string,
  disabled: boolean,
): Promise<TypeState> {
  const { key, name } = findConnector(registry, typeKey);
  const stamp = stampChange(actor, now());
  return await transaction(store.db, async (trx) => {
    await setTypeState(trx, key, disabled);
    const action = disabled ? "connector.disable" : "connector.enable";
    await recordChange(trx, stamp, { action, kind: "connector", id: key, name });
    return { connector: key, disabled_type: disabled };
  });
}

type Usage = { disabled: ReadonlySet<string>; rowCounts: ReadonlyMap<string, number> };

/** Counts the rows that the caller sees; without a caller, all rows. */
async function loadUsage(db: Db, caller: Caller | null = null): Promise<Usage> {
  return {
    disabled: await listDisabledTypes(db),
    rowCounts: await countRowsByConnector(db, {
      taggedAmong: caller === null ? undefined : toVisibleTags(caller),
    }),
  };
}

/** The operations that the caller may know of; without a caller, all of them. */
function listOperations(connector: RegisteredConnector, caller: Caller | null): OperationSpec[] {
  const seesAll = caller === null || caller.role === "admin";
  return [...connector.operations.values()].filter(
    (one) => seesAll || (isOffered(one) && !isForAdmins(connector, one)),
  );
}

function toType(
  connector: RegisteredConnector,
  usage: Usage,
  caller: Caller | null = null,
): ConnectorType {
  return {
    key: connector.key,
    name: connector.name,
    icon: connector.icon,
    logo: findConnectorLogo(connector),
    description: connector.description,
    tier: connector.tier,
    disabled_type: usage.disabled.has(connector.key),
    rows: usage.rowCounts.get(connector.key) ?? 0,
    operation_count: listOperations(connector, caller).length,
    operations_by_row: connector.discover !== undefined,
    made_from: connector.madeFrom ?? null,
    has_accounts: mayHaveAccounts(connector),
  };
}

function toField(field: FieldSpec): ConnectorField {
  return {
    key: field.key,
    widget: field.widget,
    base: field.base,
    required: field.required,
    secret: field.secret,
    default: field.secret ? null : (field.default ?? null),
    options: field.options ?? [],
    columns: field.columns ?? [],
    visible_when: field.visibleWhen ?? null,
    description: field.description ?? "",
  };
}

function toOperation(operation: Operation): ConnectorOperation {
  return {
    key: operation.key,
    name: operation.name,
    description: operation.description,
    destructive: operation.destructive,
    reads: operation.reads === true,
    may_mark: operation.isMarkable === true,
    test_only: operation.configOnly || operation.adminOnly,
  };
}
