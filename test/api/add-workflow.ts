import { findCaller } from "@hub/server/identity/find-caller.ts";
import { newWorkflowRun, queueOf } from "@hub/server/store/test-data.ts";
import { insertTestApproval } from "@hub/server/store/testing/insert-approval.ts";
import { actAsUser } from "@hub/server/workflows/definition/testing/act-on-workflows.ts";
import { startRun } from "@hub/server/workflows/runs/start/start-run.ts";
import type { ApiHub } from "./open-api-hub.ts";

const bodyOf = (value: string) => ({
  schema: 1,
  triggers: [{ id: "start", type: "manual", entry: "one" }],
  // The run waits, so that it can be cancelled.
  nodes: [
    { id: "one", type: "set", value },
    { id: "pause", type: "wait", seconds: 3600 },
  ],
  edges: [{ from: "one", to: "pause" }],
});

type WorkflowOptions = { tags?: string[]; offeredTo?: string | null; isPlain?: boolean };

/** Adds a published workflow of a user, unless it is plain with a secret `KEY` and a newer draft. */
export async function addWorkflow(
  hub: ApiHub,
  ownerId: string,
  { tags = [], offeredTo = null, isPlain = false }: WorkflowOptions = {},
): Promise<{ id: string; revision: number }> {
  const owner = await actAsUser(hub.hub.services, ownerId);
  const { id } = await owner.create({ name: "Report", body: bodyOf("first") });
  await owner.publish(id, 1);
  if (!isPlain) await owner.setSecret(id, "KEY", "of-the-workflow");
  const saved = isPlain ? null : await owner.save(id, { revision: 1, body: bodyOf("second") });
  if (tags.length > 0) await owner.setTags(id, { tags });
  if (offeredTo !== null) await owner.offer(id, offeredTo);
  return { id, revision: saved?.draft?.revision ?? 1 };
}

/** Adds a run of a workflow that waits for its time. */
export async function addScheduledRun(
  { store }: ApiHub,
  workflow: string,
): Promise<{ workflow: string; run: string }> {
  const scheduledAt = Date.parse("2099-01-01T00:00:00Z");
  const run = newWorkflowRun({ workflowId: workflow, scheduledAt, triggerId: "at" });
  await store.workflowRuns.accept({ run, queue: queueOf(), deliveryId: null, claimBy: null });
  return { workflow, run: run.id };
}

/** Adds a pending approval of a workflow, for users with these tags. */
export async function addApproval(
  { store }: ApiHub,
  workflowId: string,
  ownerId: string,
  tags: readonly string[],
): Promise<string> {
  const people = tags.map((name) => ({ kind: "tag" as const, name }));
  const times = { createdAt: Date.now(), expiresAt: Date.now() + 3_600_000 };
  const given = { workflowId, ownerId, people, ...times };
  return (await insertTestApproval(store.db, given)).id;
}

/** Deletes a user's workflows, except those to keep. */
export async function deleteWorkflowsOf(
  hub: ApiHub,
  ownerId: string,
  kept: ReadonlySet<string>,
): Promise<void> {
  const owner = await actAsUser(hub.hub.services, ownerId);
  for (const { id } of await owner.list({ owner: ownerId })) {
    if (!kept.has(id)) await owner.delete(id);
  }
}

/** Starts a run of it, which waits for an hour. */
export async function startWorkflowRun(
  hub: ApiHub,
  userId: string,
  workflow: string,
): Promise<{ workflow: string; run: string }> {
  const { services } = hub.hub;
  const caller = await findCaller({ reads: services.store.reads }, userId);
  if (caller === null) throw new Error(`There is no user ${userId}`);
  const { run_id: run } = await startRun(services, caller, workflow, {});
  return { workflow, run };
}
