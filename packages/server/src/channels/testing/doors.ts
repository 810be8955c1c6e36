import type { Caller } from "../../caller.ts";
import { HubError } from "../../errors.ts";
import { toToolId } from "../../operations/catalogue/tool-id.ts";
import { toTestCall } from "../../operations/testing/open-test-operations.ts";
import { createChannelHealthProblems } from "../../workflows/channels/channel-health-problems.ts";
import { createOpenChannel } from "../../workflows/engine/nodes/channel-node.ts";
import { createOpenOperation } from "../../workflows/engine/nodes/operation-node.ts";
import type { OpenedStep, StepContext } from "../../workflows/engine/step/open-step.ts";
import { createEnvelopeReceiver, type ReceiverDeps } from "../receive-envelope.ts";
import type { DoorHub, Gate, Outcome, Target } from "./door-worlds.ts";
import { fakeMessage } from "./fake-chat.ts";

export type Door = {
  /** The gates that it does not ask. */
  skips: readonly Gate[];
  /** The gates that it does not ask of admins, beside those. */
  skipsOfAdmins?: readonly Gate[];
  /** What stands for a refusal by other gates than those of the row. The default is the code. */
  closed?: Outcome;
  ask(hub: DoorHub, caller: Caller, target: Target): Promise<Outcome>;
};

const ofOperations: readonly Gate[] = [
  "offered",
  "forAdmins",
  "rowEnabled",
  "reviewed",
  "operationEnabled",
];
/** Of these, no caller asks for an operation that only reads. */
const notReading: readonly Gate[] = ["reading"];
const toContext = (caller: Caller, { hubs }: Target) => ({ ...toTestCall([], { caller }), hubs });
const toTool = ({ rowId, key, readsOnly }: Target) => ({
  toolId: toToolId(rowId, key),
  params: {},
  readsOnly,
});
const isIn = (tools: readonly { tool_id: string }[], { rowId, key }: Target) =>
  tools.some((tool) => tool.tool_id === toToolId(rowId, key)) ? "open" : "closed";

export const doors: Record<string, Door> = {
  call: {
    skips: [],
    ask: (hub, caller, at) =>
      toOutcome(hub.operations.calls.call(toContext(caller, at), toTool(at))),
  },
  check: {
    skips: notReading,
    ask: (hub, caller, at) =>
      toOutcome(hub.operations.calls.check(toContext(caller, at), toTool(at))),
  },
  "operation node": {
    skips: notReading,
    ask: (hub, caller, at) => toOutcome(openOperationNode(hub, caller, at).then(runStep)),
  },
  "dry run of an operation node": {
    skips: notReading,
    ask: (hub, caller, at) =>
      toOutcome(openOperationNode(hub, caller, at).then((step) => step.dryRun?.())),
  },
  "channel node": {
    skips: notReading,
    ask: (hub, caller, at) => toOutcome(openChannelNode(hub, caller, at).then(runStep)),
  },
  get: {
    skips: [...notReading, "hubPath", "setup"],
    ask: (hub, caller, at) => toOutcome(hub.operations.catalogue.get(caller, toTool(at).toolId)),
  },
  list: {
    skips: [...notReading, "owned", "hubPath", "setup"],
    closed: "closed",
    ask: async (hub, caller, at) => isIn(await hub.operations.catalogue.list(caller), at),
  },
  search: {
    skips: [...notReading, "owned", "hubPath", "setup"],
    closed: "closed",
    async ask(hub, caller, at) {
      const { tools } = await hub.operations.catalogue.search(caller, { query: "", limit: 1000 });
      return isIn(tools, at);
    },
  },
  test: {
    skips: [],
    skipsOfAdmins: ["rowEnabled", "reviewed", "operationEnabled"],
    ask: (hub, caller, at) =>
      toOutcome(hub.operations.rows.test(toContext(caller, at), toTool(at))),
  },
  health: {
    skips: [...ofOperations, ...notReading, "hubPath", "setup"],
    ask: (hub, caller, at) =>
      toOutcome(hub.operations.rows.health(toContext(caller, at), at.rowId)),
  },
  "events of a channel": {
    skips: [
      "installed",
      "offered",
      "forAdmins",
      "owned",
      "reviewed",
      "operationEnabled",
      ...notReading,
      "hubPath",
      "setup",
    ],
    closed: "closed",
    ask: receiveEvent,
  },
};

export async function toOutcome(work: Promise<unknown>): Promise<Outcome> {
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
    run: { id: "run", startedBy: "test", context: JSON.stringify({ hubs }) },
  }) as unknown as StepContext;

async function openOperationNode(hub: DoorHub, caller: Caller, at: Target): Promise<OpenedStep> {
  const open = createOpenOperation(hub.operations);
  const { toolId, params } = toTool(at);
  return await open(toStep(caller, at), {
    id: "n",
    type: "operation",
    tool_id: toolId,
    params,
  } as never);
}

async function openChannelNode(hub: DoorHub, caller: Caller, at: Target): Promise<OpenedStep> {
  const open = createOpenChannel({ ...hub.operations, directory: hub.directory });
  const node = { id: "n", type: "channel", channel: at.slug, op: at.key, args: {} };
  return await open(toStep(caller, at), node as never);
}

const runStep = (step: OpenedStep) =>
  step.run({
    signal: new AbortController().signal,
    idempotencyKey: "key",
    attempt: 1,
    recordCall() {},
    recordWarnings() {},
  });

/** Sends a message to the channel, for which the caller owns a workflow. */
async function receiveEvent(
  hub: DoorHub,
  caller: Caller,
  { rowId, slug }: Target,
): Promise<Outcome> {
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
    problems: createChannelHealthProblems(),
    now: () => 0,
    logUnreadable() {},
    logFailure() {},
  } as unknown as ReceiverDeps;
  const { runs } = await createEnvelopeReceiver(deps).receive(rowId, fakeMessage("m1"));
  return runs === 1 ? "open" : "closed";
}
