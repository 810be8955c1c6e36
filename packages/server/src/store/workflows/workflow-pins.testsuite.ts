import { expect, test } from "bun:test";
import { transaction } from "../database/database.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { createWorkflowWrites } from "../testing/workflow-writes.ts";
import { setColumns } from "./workflow-changes.ts";
import {
  deleteGonePins,
  deletePin,
  deleteUnusedPins,
  listPinMarks,
  putPin,
  readPins,
} from "./workflow-pins.ts";

/** The pinned outputs of workflows. */
export function describeWorkflowPins(stores: () => TestStores): void {
  const { makeWorkflow } = createWorkflowWrites(stores);
  const db = () => stores().store.db;
  const toPin = (nodeId: string, output: string) => ({
    nodeId,
    output,
    bytes: output.length,
    pinnedBy: "bob",
    pinnedAt: 1,
  });

  test("A pin is set, replaced and removed by its node, and goes with the node", async () => {
    const { id: workflowId, ownerId } = await makeWorkflow();
    const scope = { workflowId, ownerId };
    const put = (nodeId: string, output: string) =>
      transaction(db(), (trx) => putPin(trx, scope, toPin(nodeId, output)));
    await put("b", "1");
    await put("a", "{}");
    await put("b", "[1]");
    expect(await readPins(db(), scope)).toEqual(
      new Map([
        ["a", "{}"],
        ["b", "[1]"],
      ]),
    );
    const mark = { bytes: 2, pinnedBy: "bob", pinnedAt: 1 };
    expect((await listPinMarks(db(), scope))[0]).toEqual({ ...mark, nodeId: "a" });
    await transaction(db(), (trx) => deleteGonePins(trx, workflowId, new Set(["b", "c"])));
    expect([...(await readPins(db(), scope)).keys()]).toEqual(["b"]);
    expect(await transaction(db(), (trx) => deletePin(trx, workflowId, "b"))).toBe(true);
    expect(await transaction(db(), (trx) => deletePin(trx, workflowId, "b"))).toBe(false);
  });

  test("Pins of a former owner do not count, and the first one of the new owner removes them", async () => {
    const { id: workflowId, ownerId } = await makeWorkflow();
    const [before, now] = [
      { workflowId, ownerId },
      { workflowId, ownerId: "other" },
    ];
    await transaction(db(), (trx) => putPin(trx, before, toPin("a", "1")));
    expect(await readPins(db(), now)).toEqual(new Map());
    await transaction(db(), (trx) => putPin(trx, now, toPin("b", "2")));
    expect(await readPins(db(), before)).toEqual(new Map());
  });

  test("Pins of former owners and of workflows that were deleted without them are removed", async () => {
    const workflows = [await makeWorkflow(), await makeWorkflow(), await makeWorkflow()] as const;
    const scopes = workflows.map(({ id: workflowId, ownerId }) => ({ workflowId, ownerId }));
    const [kept, deleted, given] = scopes;
    if (!kept || !deleted || !given) throw new Error("There are three workflows");
    await transaction(db(), async (trx) => {
      for (const scope of scopes) await putPin(trx, scope, toPin("a", "1"));
      await setColumns(trx, deleted.workflowId, { deleted_at: 1 });
      await setColumns(trx, given.workflowId, { owner_id: kept.ownerId });
    });
    await deleteUnusedPins(db());
    const left = await Promise.all(scopes.map((scope) => readPins(db(), scope)));
    expect(left.map(({ size }) => size)).toEqual([1, 0, 0]);
  });
}
