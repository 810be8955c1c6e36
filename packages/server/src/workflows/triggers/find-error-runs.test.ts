import { describe, expect, test } from "bun:test";
import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { HubError } from "../../errors.ts";
import { createKeyRing } from "../../secrets/keys/key-ring.ts";
import { sealValue } from "../../secrets/value-tokens/value-tokens.ts";
import { listWorkflowRuns, readRunEvent } from "../../store/workflow-runs/workflow-runs-table.ts";
import { owner } from "../engine/testing/open-engine.ts";
import { payloadSchemas } from "./payload-schemas.ts";
import { openTriggers, type TestTriggers } from "./testing/open-triggers.ts";

const failing: WorkflowBodyInput = {
  triggers: [{ id: "start", type: "manual", entry: "stop" }],
  nodes: [{ id: "stop", type: "fail", message: "No stock of {{.Event.Payload.item}}" }],
};
const onError = (source: string, more: object = {}): WorkflowBodyInput => ({
  triggers: [{ id: "oops", type: "error", entry: "note", source_workflow: source, ...more }],
  nodes: [{ id: "note", type: "set", value: "{{.Event.Payload}}" }],
});

/** The runs of a workflow when all of them have ended. */
async function listEnded(hub: TestTriggers, workflowId: string) {
  const runs = await listWorkflowRuns(hub.store.db, { workflowId, limit: 100 });
  return await Promise.all(runs.map(({ id }) => hub.untilParked(id)));
}

describe("an error trigger", () => {
  test("A failed run starts a run with its id, error, node and event, stored with the failure", async () => {
    await using hub = await openTriggers();
    const shop = await hub.publish(failing, { id: "shop" });
    const alarm = await hub.publish(onError("shop"), { id: "alarm" });
    const failed = await hub.untilParked(await hub.run(shop, { payload: { item: "tea" } }));
    const [run, ...others] = await listEnded(hub, alarm.id);
    expect(others).toEqual([]);
    expect(run).toMatchObject({
      state: "succeeded",
      triggerType: "error",
      startedBy: "error oops",
      errorDepth: 1,
      parentRunId: failed.id,
      outputs: {
        note: {
          run_id: failed.id,
          workflow_id: "shop",
          error: { message: "No stock of tea", code: "run_failed" },
          node_id: "stop",
          severity: "error",
          depth: 1,
          event: { Type: "manual", TriggerID: "start", Payload: { item: "tea" } },
        },
      },
    });
    expect(payloadSchemas.error.parse(run?.outputs.note)).toEqual(run?.outputs.note);
    expect(hub.failures).toEqual([]);
  });

  test("A trigger for * fires for each workflow of its owner, and the severity filters", async () => {
    await using hub = await openTriggers();
    const shop = await hub.publish(failing);
    const alarm = await hub.publish(onError("*"), { id: "alarm" });
    const critical = await hub.publish(onError("*", { severity: ["critical"] }), { id: "red" });
    const loud = await hub.publish({
      ...failing,
      nodes: [{ id: "stop", type: "fail", message: "Fire", severity: "critical" }],
    });
    await hub.untilParked(await hub.run(shop));
    await hub.untilParked(await hub.run(loud));
    expect(await listEnded(hub, alarm.id)).toHaveLength(2);
    const [run, ...others] = await listEnded(hub, critical.id);
    expect(others).toEqual([]);
    expect(run?.outputs).toMatchObject({ note: { severity: "critical", workflow_id: loud.id } });
  });

  test("A workflow of another user gets nothing, also if it names the failed one; an admin's gets it", async () => {
    await using hub = await openTriggers();
    const shop = await hub.publish(failing, { id: "shop" });
    const bob = await hub.addUser("user");
    const admin = await hub.addUser("admin");
    const curious = await hub.publish(onError("shop"), { id: "curious", ownerId: bob });
    const nosy = await hub.publish(onError("*"), { id: "nosy", ownerId: bob });
    const ops = await hub.publish(onError("*"), { id: "ops", ownerId: admin });
    await hub.untilParked(await hub.run(shop));
    const list = (workflowId: string) => listWorkflowRuns(hub.store.db, { workflowId, limit: 10 });
    expect([...(await list(curious.id)), ...(await list(nosy.id))]).toEqual([]);
    expect(await list(ops.id)).toHaveLength(1);
  });

  test("Protects value tokens: an admin's run gets none of the failed run's owner", async () => {
    await using hub = await openTriggers();
    const ring = createKeyRing([new Uint8Array(32).fill(7)]);
    const token = sealValue(ring, { userId: owner.userId, rowId: null }, "hunter2");
    const shop = await hub.publish(failing, { id: "shop" });
    const admin = await hub.addUser("admin");
    const ops = await hub.publish(onError("*"), { id: "ops", ownerId: admin });
    const own = await hub.publish(onError("*"), { id: "own" });
    await hub.untilParked(await hub.run(shop, { payload: { item: token } }));
    const eventOf = async (workflowId: string) => {
      const [run] = await listWorkflowRuns(hub.store.db, { workflowId, limit: 1 });
      return (await readRunEvent(hub.store.db, run?.id ?? ""))?.event;
    };
    expect(await eventOf(ops.id)).not.toContain(token);
    expect(await eventOf(ops.id)).toContain('"item":"[secret]"');
    expect(await eventOf(own.id)).toContain(token);
  });

  test("Errors lead to one another three deep, and a workflow never starts from its own", async () => {
    await using hub = await openTriggers();
    const loop = (id: string): WorkflowBodyInput => ({
      triggers: [
        { id: "start", type: "manual", entry: "stop" },
        { id: "oops", type: "error", entry: "stop", source_workflow: "*" },
      ],
      nodes: [{ id: "stop", type: "fail", message: `From ${id}` }],
    });
    const ping = await hub.publish(loop("ping"), { id: "ping" });
    await hub.publish(loop("pong"), { id: "pong" });
    await hub.untilParked(await hub.run(ping));
    const depths: number[] = [];
    for (const id of ["pong", "ping", "pong"]) {
      for (const { errorDepth } of await listEnded(hub, id)) depths.push(errorDepth);
    }
    expect([...new Set(depths)].sort()).toEqual([0, 1, 2, 3]);
    expect(await listEnded(hub, "ping")).toHaveLength(2);
    expect(await listEnded(hub, "pong")).toHaveLength(2);
  });

  test("A run that an error run schedules keeps its depth", async () => {
    await using hub = await openTriggers();
    const shop = await hub.publish(failing, { id: "shop" });
    const retry = await hub.publish({
      triggers: [
        { id: "oops", type: "error", entry: "later", source_workflow: "shop" },
        { id: "at", type: "schedule_at", entry: "later" },
      ],
      nodes: [
        {
          id: "later",
          type: "set",
          value: { schedule_at: new Date(Date.now() + 60_000).toISOString() },
        },
      ],
    });
    await hub.untilParked(await hub.run(shop));
    const runs = await listWorkflowRuns(hub.store.db, { workflowId: retry.id, limit: 10 });
    const [first] = runs.filter(({ scheduledAt }) => scheduledAt === null);
    await hub.untilParked(first?.id ?? "");
    const all = await listWorkflowRuns(hub.store.db, { workflowId: retry.id, limit: 10 });
    expect(all.map(({ errorDepth, chainDepth }) => [errorDepth, chainDepth])).toEqual([
      [1, 1],
      [1, 0],
    ]);
  });

  test("An event that is too large is left out, but for its origin", async () => {
    await using hub = await openTriggers();
    const shop = await hub.publish(failing, { id: "shop" });
    const alarm = await hub.publish(onError("shop"), { id: "alarm" });
    await hub.untilParked(await hub.run(shop, { payload: { item: "x".repeat(300_000) } }));
    const [run] = await listEnded(hub, alarm.id);
    expect(run?.outputs).toMatchObject({
      note: { event: { Type: "manual", TriggerID: "start", Payload: null, truncated: true } },
    });
  });

  test("A webhook's body is in the event", async () => {
    await using hub = await openTriggers();
    const shop = await hub.publish(
      {
        ...failing,
        triggers: [{ id: "start", type: "webhook", entry: "stop" }],
      },
      { id: "shop" },
    );
    const alarm = await hub.publish(onError("shop"), { id: "alarm" });
    const payload = { headers: { "content-type": "application/json" }, path: "" };
    const raw = new TextEncoder().encode('{"item":"tea"}');
    await hub.untilParked(await hub.run(shop, { payload, raw }));
    const [run] = await listEnded(hub, alarm.id);
    expect(run?.outputs).toMatchObject({
      note: { event: { Payload: { body: { item: "tea" }, raw: '{"item":"tea"}' } } },
    });
  });

  test("Protects the secrets of the workflow that is started: its event does not repeat them", async () => {
    await using hub = await openTriggers();
    const shop = await hub.publish(failing, { id: "shop" });
    const secrets = async () => new Map([["KEY", "s3cret-value"]]);
    const alarm = await hub.publish(onError("shop"), { id: "alarm", secrets });
    await hub.untilParked(await hub.run(shop, { payload: { item: "s3cret-value" } }));
    const [run] = await listEnded(hub, alarm.id);
    const stored = await readRunEvent(hub.store.db, run?.id ?? "");
    expect(stored?.event).not.toContain("s3cret-value");
    expect(stored?.event).toContain("hub_enc_");
  });

  test("A run that cannot begin fires error triggers, too", async () => {
    await using hub = await openTriggers();
    let reads = 0;
    // The first time at the acceptance.
    const secrets = async () => {
      reads += 1;
      if (reads > 1) throw new HubError("bad_configuration", "The key is missing.");
      return new Map<string, string>();
    };
    const shop = await hub.publish(failing, { id: "shop", secrets });
    const alarm = await hub.publish(onError("shop"), { id: "alarm" });
    expect((await hub.untilParked(await hub.run(shop))).state).toBe("failed");
    const [run] = await listEnded(hub, alarm.id);
    expect(run?.outputs).toMatchObject({
      note: { error: { code: "bad_configuration" }, node_id: null, severity: "error" },
    });
  });

  test("A workflow that cannot be read while the database is away is asked for again", async () => {
    let reads = 0;
    await using hub = await openTriggers({
      toDirectory: ({ find }) => ({
        async find(id) {
          reads += id === "alarm" ? 1 : 0;
          if (id === "alarm" && reads === 1) throw new HubError("unavailable", "The disk is full.");
          return await find(id);
        },
      }),
    });
    const shop = await hub.publish(failing, { id: "shop" });
    const alarm = await hub.publish(onError("shop"), { id: "alarm" });
    await hub.untilParked(await hub.run(shop));
    expect(await listEnded(hub, alarm.id)).toHaveLength(1);
  });

  test("A broken workflow with an error trigger does not stop the others", async () => {
    await using hub = await openTriggers();
    const shop = await hub.publish(failing, { id: "shop" });
    await hub.publish(onError("shop"), { id: "broken", publishedBodyId: "gone" });
    const alarm = await hub.publish(onError("shop"), { id: "alarm" });
    const failed = await hub.untilParked(await hub.run(shop));
    expect(failed.state).toBe("failed");
    expect(await listEnded(hub, alarm.id)).toHaveLength(1);
    expect(hub.failures).toHaveLength(1);
  });
});
