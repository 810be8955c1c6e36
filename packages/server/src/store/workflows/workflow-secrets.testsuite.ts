import { expect, test } from "bun:test";
import { transaction } from "../database/database.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { createWorkflowWrites } from "../testing/workflow-writes.ts";
import {
  deleteWorkflowSecret,
  listAllWorkflowSecrets,
  listWorkflowSecrets,
  putWorkflowSecret,
  replaceWorkflowSecrets,
} from "./workflow-secrets.ts";

/** The secrets of workflows. */
export function describeWorkflowSecrets(stores: () => TestStores): void {
  const { makeWorkflow } = createWorkflowWrites(stores);
  const db = () => stores().store.db;

  test("A workflow's secrets are set, replaced and removed by name", async () => {
    const { id } = await makeWorkflow();
    const [one, two] = [new Uint8Array([0, 255]), new Uint8Array([2])];
    await putWorkflowSecret(db(), id, { name: "B", sealed: one, updatedAt: 1 });
    await putWorkflowSecret(db(), id, { name: "A", sealed: one, updatedAt: 2 });
    await putWorkflowSecret(db(), id, { name: "B", sealed: two, updatedAt: 3 });
    const secrets = [
      { name: "A", sealed: one, updatedAt: 2 },
      { name: "B", sealed: two, updatedAt: 3 },
    ];
    expect(await listWorkflowSecrets(db(), id)).toEqual(secrets);
    const named = secrets.map((secret) => ({ ...secret, workflowId: id, label: "Report" }));
    expect(await listAllWorkflowSecrets(db())).toEqual(named);
    expect(await deleteWorkflowSecret(db(), id, "B")).toBe(true);
    expect(await deleteWorkflowSecret(db(), id, "B")).toBe(false);
    expect(await listWorkflowSecrets(db(), id)).toHaveLength(1);
  });

  test("A secret that changed since it was read is not replaced by the same one sealed again", async () => {
    const { id: workflowId } = await makeWorkflow();
    const [read, changed, resealed] = [1, 2, 3].map((byte) => new Uint8Array([byte]));
    if (!read || !changed || !resealed) throw new Error("There are three.");
    await putWorkflowSecret(db(), workflowId, { name: "A", sealed: read, updatedAt: 1 });
    await putWorkflowSecret(db(), workflowId, { name: "B", sealed: changed, updatedAt: 1 });
    const replaced = await transaction(db(), (trx) =>
      replaceWorkflowSecrets(
        trx,
        ["A", "B"].map((name) => ({ workflowId, name, from: read, to: resealed })),
      ),
    );
    expect(replaced).toBe(1);
    const stored = await listWorkflowSecrets(db(), workflowId);
    expect(stored.map(({ sealed }) => sealed)).toEqual([resealed, changed]);
  });
}
