import type { FieldSpec, OperationSpec } from "@hub/connector";
import type {
  ConnectorField,
  ConnectorOperation,
  ConnectorType,
  ConnectorTypeDetail,
  TypeState,
} from "@hub/contract/connector-type.ts";
import type { Caller } from "../caller.ts";
import type { RegisteredConnector } from "../connectors/connector-port.ts";
import type { ConnectorRegistry } from "../connectors/registry.ts";
import { isVisible } from "../connectors/visibility.ts";
import { HubError } from "../errors.ts";
import type { Store } from "../store/open-store.ts";
import { listRows } from "../store/rows.ts";
import { listDisabledTypes, setTypeState } from "../store/states.ts";
import type { Db } from "../store/tables.ts";
import type { ChangeRecorder } from "./change-recorder.ts";
import { findConnector } from "./find-connector.ts";

type TypeDeps = { store: Store; registry: ConnectorRegistry; changes: ChangeRecorder };

export type TypeVerbs = ReturnType<typeof createTypeVerbs>;

/** Verbs on connector types, built in or plugin alike. */
export function createTypeVerbs({ store, registry, changes }: TypeDeps) {
  const setDisabled = (typed: string, disabled: boolean): Promise<TypeState> =>
    store.transaction(async (trx) => {
      const { key, name } = findConnector(registry, typed);
      await setTypeState(trx, key, disabled);
      const action = disabled ? "connector.disable" : "connector.enable";
      await changes.record(trx, { action, kind: "connector", id: key, name });
      return { connector: key, disabled_type: disabled };
    });

  return {
    async list(): Promise<ConnectorType[]> {
      const usage = await loadUsage(store.db);
      return registry.list().map((connector) => toType(connector, usage));
    },

    async show(key: string): Promise<ConnectorTypeDetail> {
      const connector = findConnector(registry, key);
      return {
        ...toType(connector, await loadUsage(store.db)),
        fields: connector.configFields.map(toField),
        operations: [...connector.operations.values()].map(toOperation),
      };
    },

    /** For admins every connector; for others those of which they see a row. */
    async listFor(caller: Caller): Promise<ConnectorType[]> {
      const usage = await loadUsage(store.db, caller);
      return registry
        .list()
        .map((connector) => toType(connector, usage))
        .filter((type) => caller.role === "admin" || type.rows > 0);
    },

    /** What the caller sees nothing of is not there. */
    async showFor(caller: Caller, key: string): Promise<ConnectorTypeDetail> {
      const connector = registry.find(key);
      const usage = await loadUsage(store.db, caller);
      if (connector === null || (caller.role !== "admin" && !usage.rowKeys.includes(key))) {
        throw new HubError("not_found", "There is no such connector.");
      }
      const isShown = (one: OperationSpec) =>
        caller.role === "admin" || !(one.configOnly || one.adminOnly);
      return {
        ...toType(connector, usage),
        fields: caller.role === "admin" ? connector.configFields.map(toField) : [],
        operations: [...connector.operations.values()].filter(isShown).map(toOperation),
      };
    },

    enable: (key: string) => setDisabled(key, false),

    /** Puts every row and operation of the connector out of reach at once. */
    disable: (key: string) => setDisabled(key, true),
  };
}

type Usage = { disabled: ReadonlySet<string>; rowKeys: readonly string[] };

/** Counts the rows that the caller sees; all of them where none is named. */
async function loadUsage(db: Db, caller: Caller | null = null): Promise<Usage> {
  const rows = (await listRows(db)).filter((row) => caller === null || isVisible(caller, row));
  return {
    disabled: await listDisabledTypes(db),
    rowKeys: rows.map((row) => row.connectorKey),
  };
}

function toType(connector: RegisteredConnector, usage: Usage): ConnectorType {
  return {
    key: connector.key,
    name: connector.name,
    icon: connector.icon,
    description: connector.description,
    tier: connector.tier,
    disabled_type: usage.disabled.has(connector.key),
    rows: usage.rowKeys.filter((key) => key === connector.key).length,
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

function toOperation(operation: OperationSpec): ConnectorOperation {
  return {
    key: operation.key,
    name: operation.name,
    description: operation.description,
    destructive: operation.destructive,
    test_only: operation.configOnly || operation.adminOnly,
  };
}
