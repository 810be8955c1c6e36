import { expect, test } from "bun:test";
import { toKysely } from "../database/kysely.ts";
import { newUser, newWorkflow } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { createWorkflowWrites } from "../testing/workflow-writes.ts";
import { insertUser } from "../users/users-table.ts";
import { readBody } from "./workflow-bodies.ts";
import {
  deleteWorkflow,
  insertWorkflow,
  setWorkflowTags,
  updateWorkflow,
} from "./workflow-changes.ts";
import { putDraft } from "./workflow-drafts.ts";
import { deleteWorkflowSecret, putWorkflowSecret } from "./workflow-secrets.ts";
import {
  countWorkflowsOf,
  findRunnable,
  findWorkflow,
  listPublished,
  listWorkflowPage,
} from "./workflows-table.ts";

/** Workflows, their lists and tags, and what a deletion removes. */
export function describeWorkflows(stores: () => TestStores): void {
  const { at, ownerId, makeWorkflow, addWorkflow, newBody, save, publish } =
    createWorkflowWrites(stores);
  const db = () => stores().store.db;

  test("A workflow is read as it was stored", async () => {
    const workflow = await makeWorkflow({ tags: ["Ops", "everyone"], createdAt: at });
    expect(await findWorkflow(db(), workflow.id)).toEqual({
      id: workflow.id,
      name: "Report",
      description: "The daily report",
      ownerId: ownerId(),
      pendingOwnerId: null,
      enabled: true,
      runBy: "tags",
      version: 0,
      tags: ["everyone", "ops"],
      draftBodyId: workflow.body.id,
      draftRevision: 1,
      draftSavedBy: ownerId(),
      draftSavedAt: at,
      publishedBodyId: null,
      createdAt: at,
      updatedAt: at,
    });
    expect(await readBody(db(), workflow.body.id)).toBe(workflow.body.text);
    expect(await findWorkflow(db(), "none")).toBeNull();
    expect(await readBody(db(), "none")).toBeNull();
  });

  test("The id of a workflow is given once, also after its deletion", async () => {
    const { id } = await makeWorkflow();
    const again = newWorkflow(ownerId(), { id });
    expect(await insertWorkflow(db(), again)).toBe(false);
    expect(await deleteWorkflow(db(), id, at)).toBe(true);
    expect(await deleteWorkflow(db(), id, at)).toBe(false);
    expect(await insertWorkflow(db(), again)).toBe(false);
    expect(await readBody(db(), again.body.id)).toBeNull();
    expect(await findWorkflow(db(), id)).toBeNull();
    expect(await findRunnable(db(), id)).toBeNull();
    expect(await countWorkflowsOf(db(), ownerId())).toBe(0);
  });

  test("A deleted workflow has no body, version, tag or secret", async () => {
    const { id } = await makeWorkflow({ tags: ["ops"] });
    await publish(id);
    await save(id, '{"schema":1,"nodes":[]}');
    await putWorkflowSecret(db(), id, { name: "KEY", sealed: new Uint8Array([1]), updatedAt: at });
    await deleteWorkflow(db(), id, at);
    const tables = [
      "workflow_bodies",
      "workflow_versions",
      "workflow_tags",
      "workflow_secrets",
      "workflow_pins",
    ] as const;
    for (const table of tables) {
      expect(await toKysely(db()).selectFrom(table).selectAll().execute()).toEqual([]);
    }
    expect(await listPublished(db())).toEqual([]);
    expect(await putDraft(db(), id, { body: newBody("{}"), savedBy: "bob", at })).toBe(false);
    expect(await updateWorkflow(db(), id, { name: "x" }, at)).toBeNull();
    expect(await setWorkflowTags(db(), id, ["ops"], at)).toBe(false);
    expect(await publish(id)).toBeNull();
  });

  test("A change of a workflow affects only the members that it names", async () => {
    const { id } = await makeWorkflow({ tags: ["ops"], createdAt: 5 });
    const bob = await insertUser(db(), newUser({ email: "bob@example.com" }));
    const change = { name: "Sums", enabled: false, pendingOwnerId: bob.id };
    expect(await updateWorkflow(db(), id, change, at)).toMatchObject({
      ...change,
      description: "The daily report",
      ownerId: ownerId(),
      runBy: "tags",
      tags: ["ops"],
      createdAt: 5,
      updatedAt: at,
    });
    const next = { ownerId: bob.id, pendingOwnerId: null, runBy: "owner" as const };
    expect(await updateWorkflow(db(), id, next, at)).toMatchObject({ ...next, enabled: false });
    expect(await updateWorkflow(db(), "none", change, at)).toBeNull();
  });

  test("Published workflows are listed with what a run needs to know", async () => {
    const { id, body } = await makeWorkflow({ tags: ["ops"] });
    await addWorkflow();
    await publish(id);
    await updateWorkflow(db(), id, { enabled: false }, at);
    const runnable = {
      id,
      name: "Report",
      ownerId: ownerId(),
      enabled: false,
      version: 1,
      publishedBodyId: body.id,
      runBy: "tags" as const,
      tags: ["ops"],
    };
    expect(await listPublished(db())).toEqual([runnable]);
    expect(await findRunnable(db(), id)).toEqual(runnable);
  });

  test("Pages of workflows have the newest first, and each one once", async () => {
    await makeWorkflow({ id: "a", createdAt: 1 });
    await addWorkflow({ id: "c", createdAt: 2 });
    await addWorkflow({ id: "b", createdAt: 2 });
    await addWorkflow({ id: "d", createdAt: 3 });
    const first = await listWorkflowPage(db(), {}, { limit: 2 });
    expect(first.map(({ id }) => id)).toEqual(["d", "c"]);
    const after = { createdAt: 2, id: "c" };
    const second = await listWorkflowPage(db(), {}, { after, limit: 5 });
    expect(second.map(({ id }) => id)).toEqual(["b", "a"]);
  });

  test("Workflows are found by owner, tag, name, id and state", async () => {
    const listed = async (filter: Parameters<typeof listWorkflowPage>[1]) =>
      (await listWorkflowPage(db(), filter, { limit: 9 })).map(({ id }) => id).sort();
    await makeWorkflow({ id: "a", name: "100% Sales", tags: ["ops", "sales"] });
    const bob = await insertUser(db(), newUser({ email: "bob@example.com" }));
    await addWorkflow({ id: "b", name: "Sums", ownerId: bob.id });
    await addWorkflow({ id: "c-sale", name: "Other", ownerId: bob.id, tags: ["dev"] });
    await updateWorkflow(db(), "b", { enabled: false }, at);
    await publish("a");
    expect(await listed({ ownerId: bob.id })).toEqual(["b", "c-sale"]);
    expect(await listed({ ids: ["a", "b", "none"] })).toEqual(["a", "b"]);
    expect(await listed({ ids: [] })).toEqual([]);
    expect(await listed({ tag: "ops" })).toEqual(["a"]);
    expect(await listed({ text: "SALE" })).toEqual(["a", "c-sale"]);
    expect(await listed({ text: "0%" })).toEqual(["a"]);
    expect(await listed({ text: "_" })).toEqual([]);
    expect(await listed({ isPublished: true })).toEqual(["a"]);
    expect(await listed({ isPublished: false, isEnabled: true })).toEqual(["c-sale"]);
    expect(await listed({ visibleTo: { userId: ownerId(), tags: [] } })).toEqual(["a"]);
    expect(await listed({ visibleTo: { userId: bob.id, tags: ["sales", "ops"] } })).toHaveLength(3);
    expect(await listed({ visibleTo: { userId: "none", tags: ["dev"] } })).toEqual(["c-sale"]);
    await updateWorkflow(db(), "c-sale", { pendingOwnerId: ownerId() }, at);
    expect(await listed({ visibleTo: { userId: ownerId(), tags: [] } })).toEqual(["a", "c-sale"]);
    expect(await countWorkflowsOf(db(), bob.id)).toBe(2);
  });

  test("Setting a workflow's tags replaces all of them", async () => {
    const { id } = await makeWorkflow({ tags: ["a", "b"] });
    expect(await setWorkflowTags(db(), id, ["B", "c"], at)).toBe(true);
    expect(await findWorkflow(db(), id)).toMatchObject({ tags: ["b", "c"], updatedAt: at });
  });

  test("What runs obey changes the revision, and a draft does not", async () => {
    const { id } = await makeWorkflow();
    const { reads } = stores().store;
    const isBumped = async (change: () => Promise<unknown>) => {
      const before = await reads.readRevision();
      await change();
      return (await reads.readRevision()) > before;
    };
    const secret = { name: "KEY", sealed: new Uint8Array([1]), updatedAt: at };
    expect(await isBumped(() => save(id, "2"))).toBe(false);
    expect(await isBumped(() => addWorkflow())).toBe(false);
    expect(await isBumped(() => publish(id))).toBe(true);
    expect(await isBumped(() => updateWorkflow(db(), id, { enabled: false }, at))).toBe(true);
    expect(await isBumped(() => setWorkflowTags(db(), id, [], at))).toBe(true);
    expect(await isBumped(() => putWorkflowSecret(db(), id, secret))).toBe(true);
    expect(await isBumped(() => deleteWorkflowSecret(db(), id, "KEY"))).toBe(true);
    expect(await isBumped(() => deleteWorkflow(db(), id, at))).toBe(true);
  });
}
