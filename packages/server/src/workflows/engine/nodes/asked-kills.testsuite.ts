/**
 * Protects: whenever a process dies, a call that people are asked about is asked about once and runs at most once. For a node with
 * items, `.ci/run` tries every third commit, and `.ci/nightly` all of them.
 */
import { beforeEach, expect, test } from "bun:test";
import { amount } from "../../../lib/testing/amount.ts";
import { markUnknownCalls } from "../../../store/pending/end-pending-calls.ts";
import { findPendingCall } from "../../../store/pending/pending-calls-table.ts";
import { releaseWorkflowRuns } from "../../../store/workflow-runs/run-leases.ts";
import type { Engine, EngineDeps } from "../engine.ts";
import { openAskedHub, type Sent } from "../testing/open-asked-hub.ts";

let sent: Sent;
beforeEach(() => {
  sent = { texts: [], failures: 0, hold: null };
});

type Hub = Awaited<ReturnType<typeof openAskedHub>>;

/** A process that dies before its commit with this number, from 1. */
function openMortal(hub: Hub, lastCommit: number): { engine: Engine; died: Promise<void> } {
  const { promise: died, resolve } = Promise.withResolvers<void>();
  const stored = hub.calls.store.workflowRuns;
  let commits = 0;
  const writer: EngineDeps["writer"] = {
    ...stored,
    commit(write) {
      commits += 1;
      if (commits < lastCommit) return stored.commit(write);
      resolve();
      return new Promise<never>(() => {});
    },
  };
  return { engine: hub.openAnother({ instanceId: "dead", writer, activeMax: 1 }), died };
}

async function die(hub: Hub): Promise<Engine> {
  await releaseWorkflowRuns(hub.db, { dead: ["dead"], at: Date.now() });
  return hub.openAnother({ instanceId: "next", activeMax: 4 });
}

const payload = { items: ["one", "two"] };
const nodes = {
  once: { operation: "send", more: {} },
  repeatable: { operation: "put", more: {} },
  items: { operation: "send", more: { for_each: "{{.Event.Payload.items}}" } },
} as const;

/** The most commits that a run of these nodes makes. */
const commitsMax = 20;

for (const [name, { operation, more }] of Object.entries(nodes)) {
  test(`A process may die before any commit of a node that asks: ${name}`, async () => {
    await using hub = await openAskedHub(sent, { engine: { activeMax: 0 } });
    const calls = "for_each" in more ? payload.items.length : 1;
    const node = {
      id: "call",
      type: "operation",
      tool_id: hub.toolId(operation),
      ...more,
    } as const;
    const text = "for_each" in more ? "{{.Item}}" : "one";
    const workflow = hub.addWorkflow({
      triggers: [{ id: "start", type: "manual", entry: "call" }],
      nodes: [{ ...node, params: { text } }],
    });
    let hasDied = true;
    let lastCommit = 0;
    while (hasDied) {
      lastCommit += lastCommit > 0 && "for_each" in more ? amount(3, 1) : 1;
      expect(lastCommit).toBeLessThan(commitsMax);
      sent.texts = [];
      const { engine, died } = openMortal(hub, lastCommit);
      const runId = await hub.run(workflow, { payload }, engine);
      hasDied = false;
      const goOn = died.then(async () => {
        hasDied = true;
        return await die(hub);
      });
      const deciding = hub.decideAll(runId);
      await hub.until(runId, "succeeded");
      await deciding;
      expect(sent.texts.toSorted()).toEqual(payload.items.slice(0, calls));
      expect(await hub.asked(runId)).toHaveLength(calls);
      if (hasDied) await (await goOn).stop();
      await engine.stop();
    }
    // The question, its wait, the decision, the call and its end are commits of their own.
    expect(lastCommit).toBeGreaterThanOrEqual(3);
  });
}

for (const operation of ["send", "put"] as const) {
  test(`A call that was out when its process died is not repeated without a person: ${operation}`, async () => {
    await using hub = await openAskedHub(sent, { engine: { activeMax: 0 } });
    const { promise: release, resolve } = Promise.withResolvers<void>();
    sent.hold = release;
    const workflow = hub.addWorkflow({
      triggers: [{ id: "start", type: "manual", entry: "call" }],
      nodes: [
        { id: "call", type: "operation", tool_id: hub.toolId(operation), params: { text: "one" } },
      ],
    });
    const engine = hub.openAnother({ instanceId: "dead", activeMax: 4 });
    const runId = await hub.run(workflow, {}, engine);
    await hub.until(runId, "waiting");
    const [first] = await hub.asked(runId);
    if (first === undefined) throw new Error("Nothing was asked");
    await hub.decide(first, runId);
    while (sent.texts.length === 0) await Bun.sleep(1);
    await markUnknownCalls(hub.db, Date.now());
    const next = await die(hub);
    if (operation === "send") {
      const run = await hub.until(runId, "waiting");
      expect(JSON.parse(run.waitingFor ?? "")).toMatchObject({ kind: "person", node_id: "call" });
    } else {
      await hub.until(runId, "waiting", (calls) => calls.length === 2);
      const [, second] = await hub.asked(runId);
      const shown = (await findPendingCall(hub.db, second?.id ?? ""))?.shown;
      expect(shown?.note).toContain("whether it took effect is not known");
    }
    expect(sent.texts).toEqual(["one"]);
    expect((await findPendingCall(hub.db, first.id))?.state).toBe("unknown");
    resolve();
    await next.stop();
  });
}
