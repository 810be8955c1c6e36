/** Runs of workflows on PostgreSQL: the suites of the engine and the queue, and lost signals. */
import { afterAll, beforeAll, expect, test } from "bun:test";
import { SQL } from "bun";
import { isWholeAmount } from "../../packages/server/src/lib/testing/amount.ts";
import { nightlyTest } from "../../packages/server/src/lib/testing/nightly-test.ts";
import { systemTimers, type Timers } from "../../packages/server/src/lib/time/timers.ts";
import { openPostgresStore } from "../../packages/server/src/store/postgres/open-postgres.ts";
import {
  approvalBody,
  findAsked,
  openApprovalEngine,
  storeDecision,
} from "../../packages/server/src/workflows/approvals/testing/open-approval-engine.ts";
import "../../packages/server/src/workflows/engine/engine.testsuite.ts";
import type { OpenStep } from "../../packages/server/src/workflows/engine/step/open-step.ts";
import {
  openEngine,
  useStores,
} from "../../packages/server/src/workflows/engine/testing/open-engine.ts";
import { testRunQueue } from "../../packages/server/src/workflows/queue/run-queue.testsuite.ts";
import { type PostgresServer, startPostgres } from "../support/postgres-server.ts";
import { waitFor } from "../support/wait-for.ts";
import { startWorkflowHub } from "../support/workflow-hub.ts";
import { findTemplate } from "./support/migrated-database.ts";

const owned = new AsyncDisposableStack();
let server: PostgresServer;
let url = "";

beforeAll(async () => {
  server = owned.use(await startPostgres());
  const migrated = await findTemplate(server);
  owned.defer(
    useStores(async () => {
      const created = await server.createDatabase(migrated);
      url = created;
      return {
        open: () => openPostgresStore({ url: created, connectionsMax: 3 }),
        [Symbol.asyncDispose]: () => server.dropDatabase(created),
      };
    }),
  );
});
afterAll(() => owned.disposeAsync());

testRunQueue();
// Of what asks, tests of this file have the decision of one server that another one hears.
if (isWholeAmount) {
  await import("../../packages/server/src/workflows/approvals/approvals.testsuite.ts");
  await import("../../packages/server/src/workflows/engine/nodes/asked-kills.testsuite.ts");
  await import("../../packages/server/src/workflows/engine/nodes/asked-node.testsuite.ts");
}

/** A server with these timers does not look by itself. */
const withoutLooks: Timers = {
  ...systemTimers,
  after: (delayMs, action) => (delayMs === 500 ? () => {} : systemTimers.after(delayMs, action)),
};

const body = {
  triggers: [{ id: "start", type: "manual" as const, entry: "a" }],
  nodes: [{ id: "a", type: "set" as const, value: 1 }],
};

const listening =
  "from pg_stat_activity where datname = current_database() and query ilike 'listen%'";

test("A signal wakes another server, without its next look, also after the connection was lost", async () => {
  await using hub = await openEngine(undefined, () => ({ timers: withoutLooks }));
  const full = await hub.openServer({ activeMax: 0, timers: withoutLooks });
  const workflow = hub.addWorkflow(body);
  await hub.ended(await hub.run(workflow, {}, full));
  await using admin = new SQL({ url, max: 1 });
  await waitFor(async () => (await admin.unsafe(`select pid ${listening}`)).length === 1);
  // The signal for this run comes while no connection listens, or it finds the new connection.
  await admin.unsafe(`select pg_terminate_backend(pid) ${listening}`);
  await hub.ended(await hub.run(workflow, {}, full));
});

test("A decision on one server wakes the run on another one by a signal, and one of two at once counts", async () => {
  const { hub, now } = await openApprovalEngine(undefined, { timers: withoutLooks });
  await using _ = hub;
  // The servers that decide work on no runs.
  const servers = [await hub.openServer({ activeMax: 0 }), await hub.openServer({ activeMax: 0 })];
  const runId = await hub.run(hub.addWorkflow(approvalBody()));
  await hub.untilParked(runId);
  await using admin = new SQL({ url, max: 1 });
  await waitFor(async () => (await admin.unsafe(`select pid ${listening}`)).length === 1);
  const asked = await findAsked(hub, runId);
  const at = now();
  const decided = await Promise.all(servers.map(() => storeDecision(hub, asked, at)));
  expect(decided.filter(Boolean)).toHaveLength(1);
  servers[1]?.wake({ runId, dueAt: at });
  await hub.ended(runId);
  expect((await hub.read(runId)).outputs).toMatchObject({ yes: "yes" });
});

test("A server that stops wakes another one for a run whose step does not end", async () => {
  let calls = 0;
  const operation: OpenStep<"operation"> = () => ({
    input: null,
    effects: "none",
    async run() {
      calls += 1;
      if (calls === 1) await new Promise(() => {});
      return { kind: "done", output: calls };
    },
  });
  await using hub = await openEngine(operation, () => ({ timers: withoutLooks }));
  const stopping = await hub.openServer();
  const call = { id: "a", type: "operation" as const, tool_id: "conn:1/send" };
  const runId = await hub.run(hub.addWorkflow({ ...body, nodes: [call] }), {}, stopping);
  await waitFor(() => calls === 1);
  await stopping.stop();
  await hub.ended(runId);
  expect((await hub.read(runId)).outputs).toEqual({ a: 2 });
});

test("A server that has capacity for its runs sends no signal", async () => {
  const offered: unknown[] = [];
  await using hub = await openEngine(undefined, ({ queue }) => ({
    queue: { ...queue, offer: (runs) => void offered.push(...runs) },
  }));
  const nap = { id: "a", type: "wait" as const, seconds: 2 };
  const workflow = hub.addWorkflow({ ...body, nodes: [nap] });
  const child = hub.addWorkflow(body, { id: "child" });
  const waits = { id: "a", type: "workflow" as const, workflow_id: child.id };
  await hub.untilParked(await hub.run(workflow));
  await hub.ended(await hub.run(hub.addWorkflow({ ...body, nodes: [waits] })));
  expect(offered).toEqual([]);
});

nightlyTest(
  "A command wakes the server for the run that it stores, over the connection for all signals",
  async () => {
    const database = await server.createDatabase();
    const env = { HUB_DATABASE_URL: database, HUB_ENC_KEY: "5a".repeat(32) };
    await using flows = await startWorkflowHub({ env });
    await using listener = new SQL({ url: database, max: 1 });
    await using admin = new SQL({ url: database, max: 1 });
    const heard: string[] = [];
    const { promise: listens, resolve } = Promise.withResolvers<void>();
    listener.listen("hub_signals", (name: string) => heard.push(name), resolve);
    await listens;
    const id = await flows.publish(body);
    await flows.hub.tryCli(["workflow", "run", id, "--wait"]);
    await waitFor(() => heard.length > 0);
    expect(heard).toEqual(["runs"]);
    // One of the server, and the test's own.
    expect(await admin.unsafe(`select pid ${listening}`)).toHaveLength(2);
  },
);
