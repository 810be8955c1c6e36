import { defineConnector, wick } from "@hub/connector";
import { createLocalConnector } from "../../connectors/local-connector.ts";
import { openTestOperations } from "../../operations/testing/open-test-operations.ts";
import { transaction } from "../../store/database/database.ts";
import { replaceRowOperations } from "../../store/rows/row-operations-table.ts";
import type { RowTests } from "../../store/rows/row-record.ts";
import { insertRow } from "../../store/rows/rows-table.ts";
import { setOperationState, setTypeState } from "../../store/rows/switches.ts";
import { newRow } from "../../store/test-data.ts";

export type Gate =
  | "present"
  | "visible"
  | "installed"
  | "offered"
  | "forAdmins"
  | "testable"
  | "owned"
  | "rowEnabled"
  | "reviewed"
  | "operationEnabled"
  | "reading"
  | "hubPath"
  | "setup";

/** "open", or the code of the refusal. */
export type Outcome = string;
export type Target = {
  rowId: string;
  key: string;
  slug: string;
  hubs: readonly string[];
  /** Who may test the row. */
  tests: RowTests;
  /** Whether the call may only read. */
  readsOnly: boolean;
};
export type World = {
  /** The only gate that the call does not pass; null if it passes all. */
  gate: Gate | null;
  /** Whether admins pass it. */
  isForAdmins?: true;
  /** The code of calls that the gate refuses. */
  code: Outcome;
  arrange(hub: DoorHub): Promise<Partial<Target>>;
};

export type DoorHub = Awaited<ReturnType<typeof openDoorHub>>;

const config = { Address: wick("required") };
const operations = {
  read: {
    description: "Reads.",
    reads: true,
    input: { Author: wick("picker=things") },
    run: () => ({}),
  },
  widget: { description: "Helps.", configOnly: true, run: () => ({}) },
  touch: { description: "Writes.", run: () => ({}) },
  upkeep: {
    description: "Tidies.",
    input: { Author: wick("picker=chores") },
    run: () => ({}),
  },
};
const define = (key: string) =>
  defineConnector({
    key,
    name: key,
    icon: "box",
    tier: "builtin",
    description: "A connector for tests.",
    config,
    operations,
    health: () => ({ ok: true }),
    lookup: () => [{ id: "1", name: "One" }],
  });

/** Operations over a real database, for worlds with one fault each. */
export async function openDoorHub() {
  const hub = await openTestOperations(define("fixture"), { others: [define("stopped")] });
  const adminOperations = new Set(["upkeep"]);
  const { registry } = hub;
  registry.replace(createLocalConnector(define("fixture"), () => ({}), { adminOperations }));
  registry.setAwaited(new Set(["awaited"]));
  await setTypeState(hub.store.db, "stopped", true);
  return hub;
}

const address = { address: "https://example.test" };
export const addRow = async (hub: DoorHub, row: Parameters<DoorHub["addRow"]>[0] = {}) => ({
  rowId: await hub.addRow({ tags: ["lab"], values: address, ...row }),
});
const hubId = "00000000-0000-4000-8000-000000000000";

export const worlds: Record<string, World> = {
  "a row that passes all gates": { gate: null, code: "open", arrange: (hub) => addRow(hub) },
  "a row that does not exist": {
    gate: "present",
    code: "not_found",
    arrange: async () => ({ rowId: crypto.randomUUID() }),
  },
  "a row with other tags": {
    gate: "visible",
    isForAdmins: true,
    code: "not_found",
    arrange: (hub) => addRow(hub, { tags: ["vault"] }),
  },
  "a row without its connector": {
    gate: "installed",
    code: "not_found",
    arrange: (hub) => addRow(hub, { connectorKey: "missing" }),
  },
  "a row whose plugin arrives later": {
    gate: "installed",
    code: "plugin_unavailable",
    arrange: (hub) => addRow(hub, { connectorKey: "awaited" }),
  },
  "an operation for widgets": {
    gate: "offered",
    code: "not_found",
    arrange: async (hub) => ({ ...(await addRow(hub)), key: "widget" }),
  },
  "an operation that the row does not have": {
    gate: "offered",
    code: "not_found",
    arrange: async (hub) => ({ ...(await addRow(hub)), key: "absent" }),
  },
  "an operation for admins": {
    gate: "forAdmins",
    isForAdmins: true,
    code: "not_found",
    arrange: async (hub) => ({ ...(await addRow(hub)), key: "upkeep" }),
  },
  "a row that only admins test": {
    gate: "testable",
    isForAdmins: true,
    code: "forbidden",
    arrange: async (hub) => ({ ...(await addRow(hub)), tests: "admins" }),
  },
  "a row of other code": {
    gate: "owned",
    code: "conflict",
    async arrange(hub) {
      const values = [{ key: "address", value: "x", sealed: null }];
      const row = newRow({ connectorKey: "fixture", tags: ["lab"], owner: "plugin", values });
      return { rowId: (await insertRow(hub.store.db, row)).id };
    },
  },
  "a disabled row": {
    gate: "rowEnabled",
    code: "connector_disabled",
    arrange: (hub) => addRow(hub, { disabled: true }),
  },
  "a disabled connector type": {
    gate: "rowEnabled",
    code: "connector_disabled",
    arrange: (hub) => addRow(hub, { connectorKey: "stopped" }),
  },
  "an operation that waits for a review": {
    gate: "reviewed",
    code: "operation_disabled",
    async arrange(hub) {
      const { rowId } = await addRow(hub);
      await addUnreviewed(hub, rowId);
      return { rowId };
    },
  },
  "a disabled operation": {
    gate: "operationEnabled",
    code: "operation_disabled",
    async arrange(hub) {
      const { rowId } = await addRow(hub);
      await setOperationState(hub.store.db, rowId, "read", false, Date.now());
      return { rowId };
    },
  },
  "a call that may only read, of an operation that does": {
    gate: null,
    code: "open",
    arrange: async (hub) => ({ ...(await addRow(hub)), readsOnly: true }),
  },
  "a call that may only read, of an operation that may do more": {
    gate: "reading",
    code: "destructive_operation",
    arrange: async (hub) => ({ ...(await addRow(hub)), key: "touch", readsOnly: true }),
  },
  "a call that came back to this hub": {
    gate: "hubPath",
    code: "needs_setup",
    arrange: async (hub) => ({ ...(await addRow(hub)), hubs: ["other", hubId] }),
  },
  "a row that is not set up": {
    gate: "setup",
    code: "needs_setup",
    arrange: (hub) => addRow(hub, { values: {} }),
  },
};

async function addUnreviewed(hub: DoorHub, rowId: string): Promise<void> {
  const schema = { type: "object", properties: { author: { type: "string" } } };
  const definition = {
    name: "Read",
    description: "Reads.",
    destructive: false,
    idempotent: false,
    inputSchema: JSON.stringify(schema),
    outputSchema: null,
    binding: "{}",
  };
  const state = { approvedAt: null, pending: null, goneAt: null };
  const operation = { key: "read", sourceName: "read", definition, ...state };
  const given = { operationsId: crypto.randomUUID(), before: [], operations: [operation] };
  await transaction(hub.store.db, (trx) => replaceRowOperations(trx, rowId, given, Date.now()));
}
