/**
 * Protects: all ways to a row's operations ask the same admission. Each world has one fault, which one
 * gate finds. What each door must answer follows from this gate and from the gates that the door asks.
 */
import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { defineConnector, wick } from "@hub/connector";
import type { Caller } from "../caller.ts";
import { createLocalConnector } from "../connectors/local-connector.ts";
import { HubError } from "../errors.ts";
import { openTestOperations, toTestCall } from "../operations/open-test-operations.ts";
import { toToolId } from "../operations/tool-id.ts";
import { transaction } from "../store/database.ts";
import { replaceRowOperations } from "../store/row-operations.ts";
import { insertRow, updateRow } from "../store/rows.ts";
import { setOperationState, setTypeState } from "../store/states.ts";
import { newRow } from "../store/test-data.ts";
import { createChannelTroubles } from "../workflows/channels/channel-troubles.ts";
import { createOpenChannel } from "../workflows/engine/nodes/channel.ts";
import { createOpenOperation } from "../workflows/engine/nodes/operation.ts";
import type { OpenedStep, StepContext } from "../workflows/engine/open-step.ts";
import { createEnvelopeReceiver, type ReceiverDeps } from "./receive-envelope.ts";
import { fakeMessage } from "./testing/fake-chat.ts";

type Gate =
  | "present"
  | "visible"
  | "installed"
  | "offered"
  | "forAdmins"
  | "owned"
  | "rowEnabled"
  | "reviewed"
  | "operationEnabled"
  | "hubPath"
  | "setup";

/** "open", or the code of the refusal. */
type Outcome = string;
type Target = { rowId: string; key: string; slug: string; hubs: readonly string[] };
type World = {
  /** The only gate that the call does not pass; null if it passes all. */
  gate: Gate | null;
  /** Whether admins pass it. */
  isForAdmins?: true;
  /** The code of calls that the gate refuses. */
  code: Outcome;
  arrange(): Promise<Partial<Target>>;
};

const config = { Address: wick("required") };
const operations = {
  read: { description: "Reads.", input: { Author: wick("picker=things") }, run: () => ({}) },
  widget: { description: "Helps.", configOnly: true, run: () => ({}) },
  upkeep: {
    description: "Tidies.",
    input: { Author: wick("picker=chores") },
    run: () => ({}),
  },
};
const define = (key: string) =>
  defineConnector({
    ...{ key, name: key, icon: "box", tier: "builtin", description: "A connector for tests." },
    ...{ config, operations },
    health: () => ({ ok: true }),
    lookup: () => [{ id: "1", name: "One" }],
  });

let hub: Awaited<ReturnType<typeof openTestOperations>>;
beforeAll(async () => {
  hub = await openTestOperations(define("fixture"), { others: [define("stopped")] });
  const adminOperations = new Set(["upkeep"]);
  const { registry } = hub;
  registry.replace(createLocalConnector(define("fixture"), () => ({}), { adminOperations }));
  registry.setAwaited(new Set(["awaited"]));
  await setTypeState(hub.store.db, "stopped", true);
});
afterAll(() => hub.close());

const address = { address: "https://example.test" };
const addRow = async (row: Parameters<typeof hub.addRow>[0] = {}) => ({
  rowId: await hub.addRow({ tags: ["lab"], values: address, ...row }),
});
const hubId = "00000000-0000-4000-8000-000000000000";

const worlds: Record<string, World> = {
  "a row that passes all gates": { gate: null, code: "open", arrange: () => addRow() },
  "a row that does not exist": {
    gate: "present",
    code: "not_found",
    arrange: async () => ({ rowId: crypto.randomUUID() }),
  },
  "a row with other tags": {
    gate: "visible",
    isForAdmins: true,
    code: "not_found",
    arrange: () => addRow({ tags: ["vault"] }),
  },
  "a row without its connector": {
    gate: "installed",
    code: "not_found",
    arrange: () => addRow({ connectorKey: "missing" }),
  },
  "a row whose plugin arrives later": {
    gate: "installed",
    code: "plugin_unavailable",
    arrange: () => addRow({ connectorKey: "awaited" }),
  },
  "an operation for widgets": {
    gate: "offered",
    code: "not_found",
    arrange: async () => ({ ...(await addRow()), key: "widget" }),
  },
  "an operation that the row does not have": {
    gate: "offered",
    code: "not_found",
    arrange: async () => ({ ...(await addRow()), key: "absent" }),
  },
  "an operation for admins": {
    gate: "forAdmins",
    isForAdmins: true,
    code: "not_found",
    arrange: async () => ({ ...(await addRow()), key: "upkeep" }),
  },
  "a row of other code": {
    gate: "owned",
    code: "conflict",
    async arrange() {
      const values = [{ key: "address", value: "x", sealed: null }];
      const row = newRow({ connectorKey: "fixture", tags: ["lab"], owner: "plugin", values });
      return { rowId: (await insertRow(hub.store.db, row)).id };
    },
  },
  "a disabled row": {
    gate: "rowEnabled",
    code: "connector_disabled",
    arrange: () => addRow({ disabled: true }),
  },
  "a disabled connector type": {
    gate: "rowEnabled",
    code: "connector_disabled",
    arrange: () => addRow({ connectorKey: "stopped" }),
  },
  "an operation that waits for a review": {
    gate: "reviewed",
    code: "operation_disabled",
    async arrange() {
      const { rowId } = await addRow();
      await addUnreviewed(rowId);
      return { rowId };
    },
  },
  "a disabled operation": {
    gate: "operationEnabled",
    code: "operation_disabled",
    async arrange() {
      const { rowId } = await addRow();
      await setOperationState(hub.store.db, rowId, "read", false, Date.now());
      return { rowId };
    },
  },
  "a call that came back to this hub": {
    gate: "hubPath",
    code: "needs_setup",
    arrange: async () => ({ ...(await addRow()), hubs: ["other", hubId] }),
  },
  "a row that is not set up": {
    gate: "setup",
    code: "needs_setup",
    arrange: () => addRow({ values: {} }),
  },
};

async function addUnreviewed(rowId: string): Promise<void> {
  const schema = { type: "object", properties: { author: { type: "string" } } };
  const definition = {
    ...{ name: "Read", description: "Reads.", destructive: false, idempotent: false },
    ...{ inputSchema: JSON.stringify(schema), outputSchema: null, binding: "{}" },
  };
  const state = { approvedAt: null, pending: null, goneAt: null };
  const operation = { key: "read", sourceName: "read", definition, ...state };
  const given = { operationsId: crypto.randomUUID(), before: [], operations: [operation] };
  await transaction(hub.store.db, (trx) => replaceRowOperations(trx, rowId, given, Date.now()));
}

type Door = {
  /** The gates that it does not ask. */
  skips: readonly Gate[];
  /** What stands for a refusal by other gates than those of the row. The default is the code. */
  closed?: Outcome;
  ask(caller: Caller, target: Target): Promise<Outcome>;
};

const ofOperations: readonly Gate[] = [
  "offered",
  "forAdmins",
  "rowEnabled",
  "reviewed",
  "operationEnabled",
];
const toContext = (caller: Caller, { hubs }: Target) => ({ ...toTestCall([], { caller }), hubs });
const toTool = ({ rowId, key }: Target) => ({ toolId: toToolId(rowId, key), params: {} });
const isIn = (tools: readonly { tool_id: string }[], { rowId, key }: Target) =>
  tools.some((tool) => tool.tool_id === toToolId(rowId, key)) ? "open" : "closed";

const doors: Record<string, Door> = {
  call: {
    skips: [],
    ask: (caller, at) => settle(hub.operations.calls.call(toContext(caller, at), toTool(at))),
  },
  check: {
    skips: [],
    ask: (caller, at) => settle(hub.operations.calls.check(toContext(caller, at), toTool(at))),
  },
  "operation node": {
    skips: [],
    ask: (caller, at) => settle(openOperationNode(caller, at).then(runStep)),
  },
  "rehearsed operation node": {
    skips: [],
    ask: (caller, at) => settle(openOperationNode(caller, at).then((step) => step.rehearse?.())),
  },
  "channel node": {
    skips: [],
    ask: (caller, at) => settle(openChannelNode(caller, at).then(runStep)),
  },
  get: {
    skips: ["hubPath", "setup"],
    ask: (caller, at) => settle(hub.operations.catalogue.get(caller, toTool(at).toolId)),
  },
  list: {
    skips: ["owned", "hubPath", "setup"],
    closed: "closed",
    ask: async (caller, at) => isIn(await hub.operations.catalogue.list(caller), at),
  },
  search: {
    skips: ["owned", "hubPath", "setup"],
    closed: "closed",
    async ask(caller, at) {
      const { tools } = await hub.operations.catalogue.search(caller, { query: "", limit: 1000 });
      return isIn(tools, at);
    },
  },
  test: {
    skips: ["rowEnabled", "reviewed", "operationEnabled"],
    ask: (caller, at) => settle(hub.operations.rows.test(toContext(caller, at), toTool(at))),
  },
  health: {
    skips: [...ofOperations, "hubPath", "setup"],
    ask: (caller, at) => settle(hub.operations.rows.health(toContext(caller, at), at.rowId)),
  },
  "events of a channel": {
    skips: [
      "installed",
      "offered",
      "forAdmins",
      "owned",
      "reviewed",
      "operationEnabled",
      "hubPath",
      "setup",
    ],
    closed: "closed",
    ask: receiveEvent,
  },
};

async function settle(work: Promise<unknown>): Promise<Outcome> {
  try {
    await work;
    return "open";
  } catch (thrown) {
    if (!(thrown instanceof HubError)) throw thrown;
    // The connector was reached. It runs no operations that rows bring.
    return thrown.code === "upstream_error" ? "open" : thrown.code;
  }
}

/** The members of a step's context that these nodes read. */
const toStep = (caller: Caller, { hubs }: Target) =>
  ({
    render: (value: unknown) => value,
    seal: async (value: unknown) => value,
    findOwner: async () => caller,
    useRow: async () => {},
    now: () => 0,
    run: { id: "run", startedBy: "test", given: JSON.stringify({ hubs }) },
  }) as unknown as StepContext;

async function openOperationNode(caller: Caller, at: Target): Promise<OpenedStep> {
  const open = createOpenOperation(hub.operations);
  const { toolId, params } = toTool(at);
  return await open(toStep(caller, at), {
    id: "n",
    type: "operation",
    tool_id: toolId,
    params,
  } as never);
}

async function openChannelNode(caller: Caller, at: Target): Promise<OpenedStep> {
  const open = createOpenChannel({ ...hub.operations, directory: hub.directory });
  const node = { id: "n", type: "channel", channel: at.slug, op: at.key, args: {} };
  return await open(toStep(caller, at), node as never);
}

const runStep = (step: OpenedStep) =>
  step.run({
    signal: new AbortController().signal,
    idempotencyKey: "key",
    noteCall() {},
    noteWarnings() {},
  });

/** Sends a message to the channel, for which the caller owns a workflow. */
async function receiveEvent(caller: Caller, { rowId, slug }: Target): Promise<Outcome> {
  const listed = { workflowId: "w", triggerId: "t", ownerId: caller.userId, channel: slug };
  const workflow = { id: "w", enabled: true, publishedBodyId: "b", version: 1 };
  const plan = { body: { triggers: [{ id: "t", type: "channel" }] } };
  const deps = {
    directory: hub.directory,
    triggers: { findMatching: async () => [listed] },
    openWorkflows: async () => ({
      directory: { find: async () => workflow },
      engine: {
        plans: { load: async () => plan },
        accept: async () => ({ acceptance: { kind: "queued" } }),
      },
    }),
    findCaller: async () => caller,
    ...{ troubles: createChannelTroubles(), now: () => 0, logUnreadable() {}, logFailure() {} },
  } as unknown as ReceiverDeps;
  const { runs } = await createEnvelopeReceiver(deps).receive(rowId, fakeMessage("m1"));
  return runs === 1 ? "open" : "closed";
}

const callers: Record<string, Caller> = {
  admin: toTestCall([], { caller: { role: "admin" } }).caller,
  user: toTestCall(["lab"]).caller,
};

describe.each(Object.keys(worlds))("%s", (title) => {
  test("All doors agree with the one gate that is closed", async () => {
    const world = worlds[title];
    if (world === undefined) throw new Error("There is no such world.");
    const slug = `channel-${Object.keys(worlds).indexOf(title)}`;
    const target: Target = { rowId: "", key: "read", slug, hubs: [], ...(await world.arrange()) };
    await updateRow(hub.store.db, target.rowId, { slug }, Date.now());
    const expected: Record<string, Outcome> = {};
    const found: Record<string, Outcome> = {};
    for (const [who, caller] of Object.entries(callers)) {
      const gate = world.isForAdmins && who === "admin" ? null : world.gate;
      for (const [name, door] of Object.entries(doors)) {
        const isOpen = gate === null || door.skips.includes(gate);
        const isWidgetTest = name === "test" && target.key === "widget";
        expected[`${who}: ${name}`] = isOpen || isWidgetTest ? "open" : (door.closed ?? world.code);
        found[`${who}: ${name}`] = await door.ask(caller, target);
      }
    }
    expect(Object.keys(found)).toHaveLength(22);
    expect(found).toEqual(expected);
  });
});

test("Users may look up what the operations need that they can call, and admins what the row needs", async () => {
  const { rowId } = await addRow();
  const { admin, user } = callers;
  if (admin === undefined || user === undefined) throw new Error("There are no callers.");
  const lookUp = (caller: Caller, source: string, id = rowId) =>
    settle(
      hub.operations.rows.lookUp(toTestCall([], { caller }), { rowId: id, source, query: "" }),
    );
  expect([await lookUp(user, "things"), await lookUp(user, "chores")]).toEqual([
    "open",
    "not_found",
  ]);
  expect([await lookUp(admin, "things"), await lookUp(admin, "chores")]).toEqual(["open", "open"]);
  const { rowId: disabled } = await addRow({ disabled: true });
  expect(await lookUp(user, "things", disabled)).toBe("not_found");
  expect(await lookUp(admin, "things", disabled)).toBe("open");
});
