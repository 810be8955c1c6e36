import { expect, test } from "bun:test";
import { type Db, transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { newUser, newWorkflow, newWorkflowRun, queueOf } from "../test-data.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { insertUser, type User } from "../users/users-table.ts";
import {
  listCurrentBodies,
  readBodiesWith,
  readBody,
  removeUnusedBodies,
} from "./workflow-bodies.ts";
import {
  deleteWorkflow,
  insertWorkflow,
  type NewWorkflow,
  setWorkflowTags,
  updateWorkflow,
} from "./workflow-changes.ts";
import { putDraft, restoreDraft } from "./workflow-drafts.ts";
import {
  deleteWorkflowSecret,
  listAllWorkflowSecrets,
  listWorkflowSecrets,
  putWorkflowSecret,
  replaceWorkflowSecrets,
} from "./workflow-secrets.ts";
import { findVersion, listVersions, publishDraft } from "./workflow-versions-table.ts";
import {
  countWorkflowsOf,
  findRunnable,
  findWorkflow,
  listPublished,
  listWorkflowPage,
} from "./workflows-table.ts";

/** Workflows, their bodies, versions, tags and secrets. */
export function describeWorkflows(stores: () => TestStores): void {
  const at = 1_000;
  let db: Db;
  let ann: User;

  /** A workflow of Ann. */
  async function makeWorkflow(given: Partial<NewWorkflow> = {}): Promise<NewWorkflow> {
    db = stores().store.db;
    ann = await insertUser(db, newUser({ email: `${crypto.randomUUID()}@example.com` }));
    return await addWorkflow(given);
  }

  async function addWorkflow(given: Partial<NewWorkflow> = {}): Promise<NewWorkflow> {
    const workflow = newWorkflow(ann.id, given);
    expect(await insertWorkflow(db, workflow)).toBe(true);
    return workflow;
  }

  const newBody = (text: string) => ({ id: crypto.randomUUID(), text });
  const save = async (id: string, text: string) => {
    const body = newBody(text);
    expect(await putDraft(db, id, { body, savedBy: "bob", at: at + 1 })).toBe(true);
    return body.id;
  };
  const publish = (id: string, versionsMax = 100) =>
    publishDraft(db, id, { note: "", publishedBy: ann.id, at, versionsMax });

  test("A workflow is read as it was stored", async () => {
    const workflow = await makeWorkflow({ tags: ["Ops", "everyone"], createdAt: at });
    expect(await findWorkflow(db, workflow.id)).toEqual({
      id: workflow.id,
      name: "Report",
      description: "The daily report",
      ownerId: ann.id,
      pendingOwnerId: null,
      enabled: true,
      runBy: "tags",
      version: 0,
      tags: ["everyone", "ops"],
      draftBodyId: workflow.body.id,
      draftRevision: 1,
      draftSavedBy: ann.id,
      draftSavedAt: at,
      publishedBodyId: null,
      createdAt: at,
      updatedAt: at,
    });
    expect(await readBody(db, workflow.body.id)).toBe(workflow.body.text);
    expect(await findWorkflow(db, "none")).toBeNull();
    expect(await readBody(db, "none")).toBeNull();
  });

  test("The id of a workflow is given once, also after its deletion", async () => {
    const { id } = await makeWorkflow();
    const again = newWorkflow(ann.id, { id });
    expect(await insertWorkflow(db, again)).toBe(false);
    expect(await deleteWorkflow(db, id, at)).toBe(true);
    expect(await deleteWorkflow(db, id, at)).toBe(false);
    expect(await insertWorkflow(db, again)).toBe(false);
    expect(await readBody(db, again.body.id)).toBeNull();
    expect(await findWorkflow(db, id)).toBeNull();
    expect(await findRunnable(db, id)).toBeNull();
    expect(await countWorkflowsOf(db, ann.id)).toBe(0);
  });

  test("A deleted workflow has no body, version, tag or secret", async () => {
    const { id } = await makeWorkflow({ tags: ["ops"] });
    await publish(id);
    await save(id, '{"schema":1,"nodes":[]}');
    await putWorkflowSecret(db, id, { name: "KEY", sealed: new Uint8Array([1]), updatedAt: at });
    await deleteWorkflow(db, id, at);
    const tables = [
      "workflow_bodies",
      "workflow_versions",
      "workflow_tags",
      "workflow_secrets",
    ] as const;
    for (const table of tables) {
      expect(await toKysely(db).selectFrom(table).selectAll().execute()).toEqual([]);
    }
    expect(await listPublished(db)).toEqual([]);
    expect(await putDraft(db, id, { body: newBody("{}"), savedBy: "bob", at })).toBe(false);
    expect(await updateWorkflow(db, id, { name: "x" }, at)).toBeNull();
    expect(await setWorkflowTags(db, id, ["ops"], at)).toBe(false);
    expect(await publish(id)).toBeNull();
  });

  test("A change of a workflow affects only the members that it names", async () => {
    const { id } = await makeWorkflow({ tags: ["ops"], createdAt: 5 });
    const bob = await insertUser(db, newUser({ email: "bob@example.com" }));
    const change = { name: "Sums", enabled: false, pendingOwnerId: bob.id };
    expect(await updateWorkflow(db, id, change, at)).toMatchObject({
      ...change,
      description: "The daily report",
      ownerId: ann.id,
      runBy: "tags",
      tags: ["ops"],
      createdAt: 5,
      updatedAt: at,
    });
    const next = { ownerId: bob.id, pendingOwnerId: null, runBy: "owner" as const };
    expect(await updateWorkflow(db, id, next, at)).toMatchObject({ ...next, enabled: false });
    expect(await updateWorkflow(db, "none", change, at)).toBeNull();
  });

  test("A saved draft replaces the draft, whose body is removed", async () => {
    const { id, body } = await makeWorkflow();
    const second = await save(id, '{"schema":1,"nodes":[]}');
    expect(await findWorkflow(db, id)).toMatchObject({
      draftBodyId: second,
      draftRevision: 2,
      draftSavedBy: "bob",
      draftSavedAt: at + 1,
    });
    expect(await readBody(db, second)).toBe('{"schema":1,"nodes":[]}');
    expect(await readBody(db, body.id)).toBeNull();
  });

  test("A published draft becomes the next version, whose body stays", async () => {
    const { id, body } = await makeWorkflow();
    expect(await publish(id)).toBe(1);
    expect(await findRunnable(db, id)).toMatchObject({ version: 1, publishedBodyId: body.id });
    const second = await save(id, "2");
    expect(await findWorkflow(db, id)).toMatchObject({
      draftBodyId: second,
      publishedBodyId: body.id,
    });
    const change = { note: "faster", publishedBy: "bob", at: at + 5, versionsMax: 100 };
    expect(await publishDraft(db, id, change)).toBe(2);
    const [newest, oldest] = await listVersions(db, id);
    expect(newest).toEqual({
      version: 2,
      bodyId: second,
      note: "faster",
      publishedBy: "bob",
      publishedAt: at + 5,
    });
    expect(oldest).toMatchObject({ version: 1, bodyId: body.id });
    expect(await findVersion(db, id, 2)).toEqual(newest ?? null);
    expect(await findVersion(db, id, 3)).toBeNull();
    expect(await readBody(db, body.id)).toBe(body.text);
  });

  test("The drafts and published bodies of workflows are listed by workflow, and read if they have a text", async () => {
    const one = await makeWorkflow({ body: newBody('["é","team"]') });
    await publish(one.id);
    const draft = await save(one.id, '["other"]');
    const two = await addWorkflow({ body: newBody('["teams","xy"]') });
    const three = await addWorkflow({ body: newBody('["x"]') });
    await publish(three.id);
    const gone = await addWorkflow({ body: newBody('["team"]') });
    await deleteWorkflow(db, gone.id, at);
    const listed = [];
    for (let after: string | undefined = ""; after !== undefined; ) {
      const bodies = await listCurrentBodies(db, { after, limit: 1 });
      listed.push(
        ...bodies.filter(({ workflowId }) => [one.id, two.id, three.id].includes(workflowId)),
      );
      after = bodies.at(-1)?.workflowId;
    }
    const toBody = (workflow: NewWorkflow, id: string, bytes: number) => ({
      id,
      workflowId: workflow.id,
      workflowName: workflow.name,
      bytes,
    });
    expect(listed.sort((a, b) => a.bytes - b.bytes)).toEqual([
      { ...toBody(three, three.body.id, 5), isDraft: true, isPublished: true },
      { ...toBody(one, draft, 9), isDraft: true, isPublished: false },
      { ...toBody(one, one.body.id, 13), isDraft: false, isPublished: true },
      { ...toBody(two, two.body.id, 14), isDraft: true, isPublished: false },
    ]);
    const ids = listed.map(({ id }) => id);
    expect(await readBodiesWith(db, ids, ['"team"', '"other"'])).toEqual(
      new Map([
        [draft, '["other"]'],
        [one.body.id, '["é","team"]'],
      ]),
    );
    expect(await readBodiesWith(db, [], ['"team"'])).toEqual(new Map());
  });

  test("A body stays as long as a run needs it, also after the workflow is deleted", async () => {
    const { id, body } = await makeWorkflow();
    const run = newWorkflowRun({ workflowId: id, bodyId: body.id });
    const accepted = { run, queue: queueOf(), deliveryId: null, claimBy: null };
    await stores().store.workflowRuns.accept(accepted);
    const second = await save(id, "2");
    await deleteWorkflow(db, id, at);
    expect(await readBody(db, body.id)).toBe(body.text);
    expect(await readBody(db, second)).toBeNull();
    await toKysely(db).deleteFrom("workflow_runs").execute();
    await transaction(db, (trx) => removeUnusedBodies(trx, [body.id, "none"]));
    expect(await readBody(db, body.id)).toBeNull();
  });

  test("A version is restored into the draft without a copy of its body", async () => {
    const { id, body } = await makeWorkflow();
    await publish(id);
    const second = await save(id, "2");
    expect(await restoreDraft(db, id, { bodyId: body.id, savedBy: "bob", at })).toBe(true);
    expect(await findWorkflow(db, id)).toMatchObject({ draftBodyId: body.id, draftRevision: 3 });
    expect(await readBody(db, second)).toBeNull();
    expect(await restoreDraft(db, "none", { bodyId: body.id, savedBy: "bob", at })).toBe(false);
  });

  test("Old versions beyond the limit are removed with their bodies, but not the one in the draft", async () => {
    const { id, body } = await makeWorkflow();
    await publish(id, 2);
    const second = await save(id, "2");
    await publish(id, 2);
    const third = await save(id, "3");
    await publish(id, 2);
    expect((await listVersions(db, id)).map(({ version }) => version)).toEqual([3, 2]);
    expect(await readBody(db, body.id)).toBeNull();
    await restoreDraft(db, id, { bodyId: second, savedBy: "bob", at });
    await publish(id, 2);
    await publish(id, 2);
    expect((await listVersions(db, id)).map(({ version }) => version)).toEqual([5, 4]);
    expect(await readBody(db, second)).toBe("2");
    expect(await readBody(db, third)).toBeNull();
  });

  test("Published workflows are listed with what a run needs to know", async () => {
    const { id, body } = await makeWorkflow({ tags: ["ops"] });
    await addWorkflow();
    await publish(id);
    await updateWorkflow(db, id, { enabled: false }, at);
    const runnable = {
      id,
      name: "Report",
      ownerId: ann.id,
      enabled: false,
      version: 1,
      publishedBodyId: body.id,
      runBy: "tags" as const,
      tags: ["ops"],
    };
    expect(await listPublished(db)).toEqual([runnable]);
    expect(await findRunnable(db, id)).toEqual(runnable);
  });

  test("Pages of workflows have the newest first, and each one once", async () => {
    await makeWorkflow({ id: "a", createdAt: 1 });
    await addWorkflow({ id: "c", createdAt: 2 });
    await addWorkflow({ id: "b", createdAt: 2 });
    await addWorkflow({ id: "d", createdAt: 3 });
    const first = await listWorkflowPage(db, {}, { limit: 2 });
    expect(first.map(({ id }) => id)).toEqual(["d", "c"]);
    const after = { createdAt: 2, id: "c" };
    const second = await listWorkflowPage(db, {}, { after, limit: 5 });
    expect(second.map(({ id }) => id)).toEqual(["b", "a"]);
  });

  test("Workflows are found by owner, tag, name, id and state", async () => {
    const listed = async (filter: Parameters<typeof listWorkflowPage>[1]) =>
      (await listWorkflowPage(db, filter, { limit: 9 })).map(({ id }) => id).sort();
    await makeWorkflow({ id: "a", name: "100% Sales", tags: ["ops", "sales"] });
    const bob = await insertUser(db, newUser({ email: "bob@example.com" }));
    await addWorkflow({ id: "b", name: "Sums", ownerId: bob.id });
    await addWorkflow({ id: "c-sale", name: "Other", ownerId: bob.id, tags: ["dev"] });
    await updateWorkflow(db, "b", { enabled: false }, at);
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
    expect(await listed({ visibleTo: { userId: ann.id, tags: [] } })).toEqual(["a"]);
    expect(await listed({ visibleTo: { userId: bob.id, tags: ["sales", "ops"] } })).toHaveLength(3);
    expect(await listed({ visibleTo: { userId: "none", tags: ["dev"] } })).toEqual(["c-sale"]);
    await updateWorkflow(db, "c-sale", { pendingOwnerId: ann.id }, at);
    expect(await listed({ visibleTo: { userId: ann.id, tags: [] } })).toEqual(["a", "c-sale"]);
    expect(await countWorkflowsOf(db, bob.id)).toBe(2);
  });

  test("Setting a workflow's tags replaces all of them", async () => {
    const { id } = await makeWorkflow({ tags: ["a", "b"] });
    expect(await setWorkflowTags(db, id, ["B", "c"], at)).toBe(true);
    expect(await findWorkflow(db, id)).toMatchObject({ tags: ["b", "c"], updatedAt: at });
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
    expect(await isBumped(() => updateWorkflow(db, id, { enabled: false }, at))).toBe(true);
    expect(await isBumped(() => setWorkflowTags(db, id, [], at))).toBe(true);
    expect(await isBumped(() => putWorkflowSecret(db, id, secret))).toBe(true);
    expect(await isBumped(() => deleteWorkflowSecret(db, id, "KEY"))).toBe(true);
    expect(await isBumped(() => deleteWorkflow(db, id, at))).toBe(true);
  });

  test("A workflow's secrets are set, replaced and removed by name", async () => {
    const { id } = await makeWorkflow();
    const [one, two] = [new Uint8Array([0, 255]), new Uint8Array([2])];
    await putWorkflowSecret(db, id, { name: "B", sealed: one, updatedAt: 1 });
    await putWorkflowSecret(db, id, { name: "A", sealed: one, updatedAt: 2 });
    await putWorkflowSecret(db, id, { name: "B", sealed: two, updatedAt: 3 });
    const secrets = [
      { name: "A", sealed: one, updatedAt: 2 },
      { name: "B", sealed: two, updatedAt: 3 },
    ];
    expect(await listWorkflowSecrets(db, id)).toEqual(secrets);
    const named = secrets.map((secret) => ({ ...secret, workflowId: id, label: "Report" }));
    expect(await listAllWorkflowSecrets(db)).toEqual(named);
    expect(await deleteWorkflowSecret(db, id, "B")).toBe(true);
    expect(await deleteWorkflowSecret(db, id, "B")).toBe(false);
    expect(await listWorkflowSecrets(db, id)).toHaveLength(1);
  });

  test("A secret that changed since it was read is not replaced by the same one sealed again", async () => {
    const { id: workflowId } = await makeWorkflow();
    const [read, changed, resealed] = [1, 2, 3].map((byte) => new Uint8Array([byte]));
    if (!read || !changed || !resealed) throw new Error("There are three.");
    await putWorkflowSecret(db, workflowId, { name: "A", sealed: read, updatedAt: 1 });
    await putWorkflowSecret(db, workflowId, { name: "B", sealed: changed, updatedAt: 1 });
    const replaced = await transaction(db, (trx) =>
      replaceWorkflowSecrets(
        trx,
        ["A", "B"].map((name) => ({ workflowId, name, from: read, to: resealed })),
      ),
    );
    expect(replaced).toBe(1);
    const stored = await listWorkflowSecrets(db, workflowId);
    expect(stored.map(({ sealed }) => sealed)).toEqual([resealed, changed]);
  });
}
