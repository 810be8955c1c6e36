import { expect, test } from "bun:test";
import { transaction } from "../../store/database/database.ts";
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
