import { expect, test } from "bun:test";
import { transaction } from "../../store/database/database.ts";
import { newStep, newWorkflowRun, queueOf } from "../../store/test-data.ts";
import { putPin } from "../../store/workflows/workflow-pins.ts";
import { openDefinitions } from "./testing/open-definitions.ts";

test("A workflow has at most 500 pins, also of nodes that its draft does not have", async () => {
  const hub = await openDefinitions();
  const { id: ownerId, verbs } = await hub.addUser("ann");
  const { id } = await verbs.create({ name: "Daily report" });
  const scope = { workflowId: id, ownerId };
  const pin = { output: "1", bytes: 1, pinnedBy: ownerId, pinnedAt: 1 };
  await transaction(hub.db, async (trx) => {
    for (let at = 1; at < 500; at += 1) await putPin(trx, scope, { ...pin, nodeId: `n${at}` });
  });
  expect(await verbs.copyPin(id, "n1", "n500")).toHaveLength(500);
  expect(await verbs.copyPin(id, "n1", "n2")).toHaveLength(500);
  await expect(verbs.copyPin(id, "n1", "n501")).rejects.toMatchObject({
    code: "bad_request",
    message: "A workflow has at most 500 pins. Remove one first.",
  });
  await hub.close();
});

test("The pins of a workflow have at most 1 MiB together, and a refused one leaves the others as they are", async () => {
  const hub = await openDefinitions();
  const { id: ownerId, verbs } = await hub.addUser("ann");
  const { id } = await verbs.create({ name: "Daily report" });
  const output = JSON.stringify("x".repeat(64 * 1024 - 2));
  const pin = { output, bytes: 64 * 1024, pinnedBy: ownerId, pinnedAt: 1 };
  await transaction(hub.db, async (trx) => {
    for (let at = 1; at < 16; at += 1) {
      await putPin(trx, { workflowId: id, ownerId }, { ...pin, nodeId: `n${at}` });
    }
  });
  expect(await verbs.copyPin(id, "n1", "n16")).toHaveLength(16);
  // In place of an earlier one.
  expect(await verbs.copyPin(id, "n1", "n16")).toHaveLength(16);
  await expect(verbs.copyPin(id, "n1", "n17")).rejects.toMatchObject({
    code: "bad_request",
    message: "The pins of a workflow have at most 1 MiB together. Remove one first.",
  });
  expect(await verbs.listPins(id)).toHaveLength(16);
  await hub.close();
});

test("An output is pinned only of a run of the same workflow and owner in which the node succeeded", async () => {
  const hub = await openDefinitions();
  const { id: ownerId, verbs } = await hub.addUser("ann");
  const { id } = await verbs.create({ name: "Daily report" });
  const addRun = async (given: object, state: "succeeded" | "failed" = "succeeded") => {
    const run = newWorkflowRun({ workflowId: id, ownerId, ...given });
    const { workflowRuns } = hub.deps.store;
    const queue = queueOf({ runsAtOnce: 100 });
    const accepted = await workflowRuns.accept({ run, queue, deliveryId: null, claimBy: "one" });
    if (accepted.kind !== "started") throw new Error(`The run is ${accepted.kind}`);
    const steps = [newStep({ nodeId: "one", state, output: "[1]" })];
    const origin = { runId: run.id, workflowId: run.workflowId, lease: accepted.lease };
    const none = { answer: null, starts: [], at: 2_000 };
    await workflowRuns.commit({ ...none, ...origin, steps, transition: { kind: "go_on" } });
    return run.id;
  };
  const own = await addRun({});
  const refused: Array<[run: string, code: string, message: string]> = [
    [await addRun({ workflowId: "other" }), "not_found", "There is no such run of this workflow."],
    [await addRun({ ownerId: "former" }), "conflict", "The run belongs to a former owner"],
    [await addRun({}, "failed"), "conflict", 'The node "one" has no output in this run.'],
  ];
  for (const [run, code, message] of refused) {
    await expect(verbs.pinRun(id, run, "one")).rejects.toMatchObject({
      code,
      message: expect.stringContaining(message),
    });
  }
  expect(await verbs.listPins(id)).toEqual([]);
  expect(await verbs.pinRun(id, own, "one")).toMatchObject([{ node_id: "one", bytes: 3 }]);
  const { verbs: stranger } = await hub.addUser("bob", { tags: ["ops"] });
  for (const attempt of [
    () => stranger.listPins(id),
    () => stranger.pinRun(id, own, "one"),
    () => stranger.copyPin(id, "one", "two"),
    () => stranger.removePin(id, "one"),
  ]) {
    await expect(attempt()).rejects.toMatchObject({ code: "not_found" });
  }
  const { verbs: admin } = await hub.addUser("eve", { role: "admin" });
  expect(await admin.removePin(id, "one")).toEqual([]);
  await expect(admin.removePin(id, "one")).rejects.toMatchObject({ code: "not_found" });
  await hub.close();
});
