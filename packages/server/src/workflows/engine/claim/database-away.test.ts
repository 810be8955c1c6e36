/**
 * Protects: runs in flight wait while the database cannot be used, and go on when it is back. What a commit
 * did is neither lost nor repeated if its answer was lost.
 */
import { expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { HubError } from "../../../errors.ts";
import { nightlyTest } from "../../../lib/testing/nightly-test.ts";
import { systemTimers } from "../../../lib/time/timers.ts";
import { listWorkflowRuns } from "../../../store/workflow-runs/workflow-runs-table.ts";
import type { WorkflowWriter } from "../../../store/workflow-runs/workflow-writer.ts";
import type { RunRequest } from "../accept/prepare-run.ts";
import type { EngineDeps } from "../engine.ts";
import type { OpenStep, StepOutcome } from "../step/open-step.ts";
import { openEngine } from "../testing/open-engine.ts";

/** Times are fifty times as fast. */
const timers = {
  now: systemTimers.now,
  after: (delayMs: number, action: () => void) => systemTimers.after(delayMs / 50, action),
};

const away = (detail = {}) => new HubError("unavailable", "The disk is full.", { detail });

/** Fails the first calls with `unavailable`, of as many as `times`. */
function failFirst<A extends unknown[], R>(times: number, work: (...args: A) => Promise<R>) {
  let calls = 0;
  return (...args: A): Promise<R> => {
    calls += 1;
    return calls <= times ? Promise.reject(away()) : work(...args);
  };
}

/** Loses the answers of the first calls that `isMeant` picks: they are carried out, and then fail. */
function loseFirst<W, R>(isMeant: (write: W) => boolean, write: (given: W) => Promise<R>) {
  let isLost = false;
  return async (given: W): Promise<R> => {
    const result = await write(given);
    if (isLost || !isMeant(given)) return result;
    isLost = true;
    throw away();
  };
}

const open = (
  operation: OpenStep<"operation">,
  toDeps: (deps: EngineDeps) => Partial<EngineDeps> = () => ({}),
) => openEngine(operation, (deps) => ({ timers, ...toDeps(deps) }));

const withWriter = (toWriter: (writer: WorkflowWriter) => Partial<WorkflowWriter>) => {
  return ({ writer }: EngineDeps) => ({ writer: { ...writer, ...toWriter(writer) } });
};

/** An operation whose calls `answer` gives, and which asks for its owner as the hub's operations do. */
const operation =
  (answer: (nodeId: string) => Promise<unknown>, hasEffects = false): OpenStep<"operation"> =>
  async (ctx) => {
    await ctx.findOwner();
    await ctx.useRow("conn:1/send");
    return {
      input: {},
      effects: hasEffects ? "once" : "repeatable",
      run: async (): Promise<StepOutcome> => ({
        kind: "done",
        // Test values are JSON.
        output: (await answer(ctx.nodeId)) as string,
      }),
    };
  };

const pass = () => new Promise((done) => setImmediate(done));

const call = (id: string) => ({ id, type: "operation" as const, tool_id: "conn:1/send" });
const set = (id: string, value: unknown) => ({ id, type: "set" as const, value });
const chain = (
  nodes: NonNullable<WorkflowBodyInput["nodes"]>,
  more: WorkflowBodyInput = {},
): WorkflowBodyInput => ({
  triggers: [{ id: "start", type: "manual", entry: nodes[0]?.id ?? "" }],
  nodes,
  edges: nodes.slice(1).map(({ id }, at) => ({ from: nodes[at]?.id ?? "", to: id })),
  ...more,
});

nightlyTest(
  "A call that finds the disk almost full waits until there is space, also one with effects",
  async () => {
    const detail = { retry_after_s: 30 };
    let calls = 0;
    const answer = async () => {
      calls += 1;
      if (calls <= 3) throw new HubError("insufficient_storage", "The disk is full.", { detail });
      return "done";
    };
    await using hub = await open(operation(answer, true));
    const runId = await hub.run(hub.addWorkflow(chain([call("a")])));
    await hub.ended(runId);
    expect(await hub.untilParked(runId)).toMatchObject({
      state: "succeeded",
      outputs: { a: "done" },
    });
    expect(calls).toBe(4);
  },
);

test("A run whose reads fail waits until the database is back", async () => {
  await using hub = await open(
    operation(async (nodeId) => nodeId),
    ({ directory, findCaller, findUsedRow }) => ({
      directory: { find: failFirst(3, directory.find) },
      findCaller: failFirst(2, findCaller),
      findUsedRow: failFirst(2, findUsedRow),
    }),
  );
  hub.addWorkflow(chain([set("x", 1)]), { id: "other" });
  const nodes = [call("a"), { id: "sub", type: "workflow" as const, workflow_id: "other" }];
  const runId = await hub.run(hub.addWorkflow(chain(nodes)));
  await hub.ended(runId);
  expect(await hub.untilParked(runId)).toMatchObject({
    state: "succeeded",
    error: null,
    outputs: { a: "a", sub: 1 },
  });
  expect(hub.failures).toEqual([]);
});

test("A run that is taken up while its owner cannot be read waits for the database", async () => {
  await using hub = await open(
    operation(async () => 1),
    ({ findCaller }) => ({ activeMax: 0, findCaller: failFirst(1, findCaller) }),
  );
  const runId = await hub.run(hub.addWorkflow(chain([set("a", 1)])));
  hub.openAnother({ activeMax: 5 });
  await hub.ended(runId);
  expect(await hub.untilParked(runId)).toMatchObject({ state: "succeeded", error: null });
});

test("A failed run starts its error runs although they cannot be read at first", async () => {
  let isFound = false;
  await using hub = await open(
    operation(async () => null),
    () => ({
      findErrorRuns: failFirst(2, async () => {
        isFound = true;
        return [];
      }),
    }),
  );
  const failing = chain([{ id: "a", type: "fail", message: "No stock" }]);
  const run = await hub.untilParked(await hub.run(hub.addWorkflow(failing)));
  expect([run.state, isFound]).toEqual(["failed", true]);
});

test("A failed run starts its error runs although their secrets cannot be read at first", async () => {
  const requests: RunRequest[] = [];
  await using hub = await open(
    operation(async () => null),
    () => ({ findErrorRuns: async () => requests }),
  );
  const secrets = failFirst(2, async () => new Map<string, string>());
  const alarm = hub.addWorkflow(chain([set("x", 1)]), { secrets });
  const plan = await hub.engine.plans.load(alarm.publishedBodyId ?? "");
  const trigger = { id: "start", type: "error" as const, entry: "x" };
  const facts = { version: 1, payload: {}, startedBy: "error start", starterIds: [] };
  requests.push({ workflow: alarm, plan, trigger, ...facts });
  const failing = chain([{ id: "a", type: "fail", message: "No stock" }]);
  await hub.untilParked(await hub.run(hub.addWorkflow(failing)));
  const started = await listWorkflowRuns(hub.store.db, { workflowId: alarm.id, limit: 5 });
  expect(started).toHaveLength(1);
});

test("A call that the database kept from starting is tried until it starts, though it has effects", async () => {
  let calls = 0;
  await using hub = await open(
    operation(async () => {
      calls += 1;
      if (calls < 3) throw away({ not_sent: true });
      return calls;
    }, true),
  );
  const run = await hub.untilParked(await hub.run(hub.addWorkflow(chain([call("a")]))));
  expect(run).toMatchObject({ state: "succeeded", outputs: { a: 3 }, steps: [{ tries: 1 }] });
});

test("A call with effects whose outcome the database did not take is not repeated: the run waits for a person", async () => {
  let calls = 0;
  await using hub = await open(
    operation(async () => {
      calls += 1;
      throw away();
    }, true),
  );
  const run = await hub.untilParked(await hub.run(hub.addWorkflow(chain([call("a")]))));
  expect([run.state, JSON.parse(run.waitingFor ?? ""), calls]).toEqual([
    "waiting",
    { kind: "person", node_id: "a", item: -1, message: "The disk is full." },
    1,
  ]);
});

test("A run that was stored although its acceptance failed is taken up", async () => {
  await using hub = await open(
    operation(async () => 1),
    withWriter(({ accept }) => ({ accept: loseFirst(() => true, accept) })),
  );
  const workflow = hub.addWorkflow(chain([call("a")]));
  const runId = Bun.randomUUIDv7();
  const engine = hub.openAnother({ createRunId: () => runId });
  await expect(hub.run(workflow, {}, engine)).rejects.toMatchObject({ code: "unavailable" });
  expect(await hub.untilParked(runId)).toMatchObject({ state: "succeeded", outputs: { a: 1 } });
});

test("A run that was claimed although the claim failed is taken up", async () => {
  await using hub = await open(
    operation(async () => 1),
    withWriter(({ claim }) => ({ claim: loseFirst(() => true, claim) })),
  );
  const workflow = hub.addWorkflow(chain([call("a")]));
  const other = hub.openAnother({ activeMax: 0 });
  const runId = await hub.run(workflow, {}, other);
  expect(await hub.untilParked(runId)).toMatchObject({ state: "succeeded", outputs: { a: 1 } });
});

test("A commit that was carried out although it failed does not start the same runs again", async () => {
  const started: string[] = [];
  await using hub = await open(
    operation(async (nodeId) => {
      started.push(nodeId);
      return nodeId;
    }),
    withWriter(({ commit }) => ({ commit: loseFirst(({ starts }) => starts.length > 0, commit) })),
  );
  hub.addWorkflow(chain([call("x")]), { id: "other" });
  const sub = { id: "sub", type: "workflow" as const, workflow_id: "other" };
  const runId = await hub.run(hub.addWorkflow(chain([sub, call("b")])));
  await hub.ended(runId);
  expect(await hub.untilParked(runId)).toMatchObject({ state: "succeeded", outputs: { sub: "x" } });
  expect(started).toEqual(["x", "b"]);
});

test("The next run of a workflow starts although the commit that admitted it failed", async () => {
  await using hub = await open(
    operation(async () => 1),
    withWriter(({ commit }) => ({
      commit: loseFirst(({ transition }) => transition.kind === "end", commit),
    })),
  );
  const queue = { policy: "queue" as const };
  const workflow = hub.addWorkflow(chain([call("a")], { settings: { queue } }));
  const ids = await Promise.all(Array.from({ length: 3 }, () => hub.run(workflow)));
  for (const id of ids) expect((await hub.untilParked(id)).state).toBe("succeeded");
});

test("A queue stays in order although its body cannot be read at a claim", async () => {
  const release = Promise.withResolvers<void>();
  const order: string[] = [];
  await using hub = await open(
    operation(async () => {
      order.push("begin");
      await release.promise;
      order.push("end");
      return 1;
    }),
    () => ({ activeMax: 0 }),
  );
  const queue = { policy: "queue" as const };
  const workflow = hub.addWorkflow(chain([call("a")], { settings: { queue } }));
  const first = await hub.run(workflow, {}, hub.openAnother({ activeMax: 1 }));
  const second = await hub.run(workflow, { scheduledAt: Date.now() - 1 });
  hub.openAnother({
    activeMax: 5,
    readBody: failFirst(1, hub.readBody),
  });
  while (hub.failures.length === 0 && order.length === 1) await pass();
  release.resolve();
  for (const id of [first, second]) {
    await hub.ended(id);
    expect((await hub.untilParked(id)).state).toBe("succeeded");
  }
  expect(order).toEqual(["begin", "end", "begin", "end"]);
});

test("A run whose output the database refuses fails, and is not retried forever", async () => {
  await using hub = await open(
    operation(async () => 1),
    withWriter(({ commit }) => ({
      async commit(write) {
        if (write.steps.length > 0) throw new HubError("internal", "The value is refused.");
        return await commit(write);
      },
    })),
  );
  const run = await hub.untilParked(await hub.run(hub.addWorkflow(chain([call("a")]))));
  expect(run).toMatchObject({ state: "failed", error: { code: "internal" } });
});
