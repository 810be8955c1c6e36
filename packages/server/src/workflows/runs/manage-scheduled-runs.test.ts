import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { localAdmin } from "../../identity/local-admin.ts";
import { toCaller } from "../../identity/to-caller.ts";
import { listChanges } from "../../store/changes-table.ts";
import { newWorkflowRun, queueOf } from "../../store/test-data.ts";
import { findUserById } from "../../store/users/users-table.ts";
import { findWorkflowRun } from "../../store/workflow-runs/workflow-runs-table.ts";
import { openDefinitions } from "../definition/testing/open-definitions.ts";
import type { Author } from "../definition/workflow-access.ts";
import { dropScheduled, listScheduled, moveScheduled } from "./manage-scheduled-runs.ts";

let record: Awaited<ReturnType<typeof openDefinitions>>;
/** Owns the workflow `report`. */
let ann: Author;
/** Shares a tag with it. */
let bob: Author;

beforeAll(async () => {
  record = await openDefinitions();
  const toAuthor = async (id: string): Promise<Author> => {
    const user = await findUserById(record.db, id);
    if (user === null) throw new Error("The user is missing");
    const { email } = user;
    return {
      caller: toCaller({ userId: id, ...user }, null),
      actor: { userId: id, email, tokenId: null, via: "session", ip: null },
    };
  };
  const owner = await record.addUser("ann", { tags: ["sales"] });
  ann = await toAuthor(owner.id);
  bob = await toAuthor((await record.addUser("bob", { tags: ["sales"] })).id);
  const { id } = await owner.verbs.create({ name: "Report" });
  await owner.verbs.setTags(id, { tags: ["sales"] });
  workflowId = id;
});
afterAll(() => record.close());

let workflowId: string;
const far = Date.parse("2099-01-01T00:00:00Z");

async function addRun(given: object = {}): Promise<string> {
  const run = newWorkflowRun({ workflowId, scheduledAt: far, triggerId: "at", ...given });
  const write = { run, queue: queueOf(), deliveryId: null, claimBy: null };
  await record.deps.store.workflowRuns.accept(write);
  return run.id;
}

describe("scheduled runs", () => {
  test("The owner and admins list them page by page, and others do not", async () => {
    const [late, early] = [await addRun(), await addRun({ scheduledAt: far - 1_000 })];
    const first = await listScheduled(record.deps, ann.caller, workflowId, { limit: 1 });
    expect(first.items).toMatchObject([
      { id: early, scheduled_at: "2098-12-31T23:59:59.000Z", trigger_id: "at", chain_depth: 0 },
    ]);
    const page = { limit: 1, after: first.next ?? "" };
    const second = await listScheduled(record.deps, localAdmin, workflowId, page);
    await expect([second.items[0]?.id, second.next]).toEqual([late, null]);
    await expect(listScheduled(record.deps, bob.caller, workflowId)).rejects.toThrow(
      "Only the owner",
    );
  });

  test("A run is moved to a time at least one second ahead, and the change is recorded", async () => {
    const runId = await addRun();
    const move = (scheduledAt: string | number, author = ann) =>
      moveScheduled(record.deps, author, { workflowId, runId }, { scheduledAt });
    expect((await move("2098-06-01T10:00:00+02:00")).scheduled_at).toBe("2098-06-01T08:00:00.000Z");
    expect((await move(4_000_000_000)).scheduled_at).toBe("2096-10-02T07:06:40.000Z");
    expect(await findWorkflowRun(record.db, runId)).toMatchObject({
      state: "queued",
      dueAt: 4e12,
      scheduledAt: 4e12,
    });
    const [change] = await listChanges(record.db, { limit: 1 });
    expect(change).toMatchObject({ action: "workflow.move_run", targetId: workflowId });
    // The clock of the record is at some seconds after 1,000 s, and each call takes one.
    const now = record.deps.now();
    await expect(move((now + 1_000) / 1000)).rejects.toThrow("at least one second ahead");
    await expect((await move((record.deps.now() + 2_000) / 1000)).id).toBe(runId);
    await expect(move("tomorrow")).rejects.toThrow("scheduled_at is not a time");
    await expect(move(4e9, bob)).rejects.toThrow("Only the owner");
  });

  test("A dropped run is cancelled, and cannot be moved or dropped again", async () => {
    const runId = await addRun();
    const address = { workflowId, runId };
    await expect(dropScheduled(record.deps, bob, address)).rejects.toThrow("Only the owner");
    expect((await dropScheduled(record.deps, ann, address)).id).toBe(runId);
    await expect((await findWorkflowRun(record.db, runId))?.state).toBe("cancelled");
    await expect(dropScheduled(record.deps, ann, address)).rejects.toThrow("no such scheduled run");
    const moved = moveScheduled(record.deps, ann, address, { scheduledAt: 4e9 });
    await expect(moved).rejects.toThrow("no such scheduled run");
  });

  test("A run that runs already, or of another workflow, is not a scheduled run", async () => {
    const other = await addRun({ workflowId: "other-abc123" });
    const running = await addRun({ scheduledAt: null });
    for (const runId of [other, running, crypto.randomUUID()]) {
      const drop = dropScheduled(record.deps, ann, { workflowId, runId });
      await expect(drop).rejects.toThrow("no such scheduled run");
    }
  });
});
