import { expect, test } from "bun:test";
import { transaction } from "../database/database.ts";
import { toKysely } from "../database/kysely.ts";
import { newWorkflowRun, queueOf } from "../test-data.ts";
import { runSql } from "../testing/run-sql.ts";
import type { TestStores } from "../testing/test-stores.ts";
import { createWorkflowWrites } from "../testing/workflow-writes.ts";
import {
  listBodyEditors,
  listCurrentBodies,
  readBodiesWith,
  readBody,
  removeUnusedBodies,
} from "./workflow-bodies.ts";
import { deleteWorkflow, type NewWorkflow } from "./workflow-changes.ts";
import { putDraft, restoreDraft } from "./workflow-drafts.ts";
import { findVersion, listVersions, publishDraft } from "./workflow-versions-table.ts";
import { findRunnable, findWorkflow } from "./workflows-table.ts";

/** The bodies of workflows: drafts, versions, and who edited them. */
export function describeWorkflowBodies(stores: () => TestStores): void {
  const { at, makeWorkflow, addWorkflow, newBody, save, publish } = createWorkflowWrites(stores);
  const db = () => stores().store.db;

  test("A saved draft replaces the draft, whose body is removed", async () => {
    const { id, body } = await makeWorkflow();
    const second = await save(id, '{"schema":1,"nodes":[]}');
    expect(await findWorkflow(db(), id)).toMatchObject({
      draftBodyId: second,
      draftRevision: 2,
      draftSavedBy: "bob",
      draftSavedAt: at + 1,
    });
    expect(await readBody(db(), second)).toBe('{"schema":1,"nodes":[]}');
    expect(await readBody(db(), body.id)).toBeNull();
  });

  test("A published draft becomes the next version, whose body stays", async () => {
    const { id, body } = await makeWorkflow();
    expect(await publish(id)).toBe(1);
    expect(await findRunnable(db(), id)).toMatchObject({ version: 1, publishedBodyId: body.id });
    const second = await save(id, "2");
    expect(await findWorkflow(db(), id)).toMatchObject({
      draftBodyId: second,
      publishedBodyId: body.id,
    });
    const change = { note: "faster", publishedBy: "bob", at: at + 5, versionsMax: 100 };
    expect(await publishDraft(db(), id, change)).toBe(2);
    const [newest, oldest] = await listVersions(db(), id);
    expect(newest).toEqual({
      version: 2,
      bodyId: second,
      note: "faster",
      publishedBy: "bob",
      publishedAt: at + 5,
    });
    expect(oldest).toMatchObject({ version: 1, bodyId: body.id });
    expect(await findVersion(db(), id, 2)).toEqual(newest ?? null);
    expect(await findVersion(db(), id, 3)).toBeNull();
    expect(await readBody(db(), body.id)).toBe(body.text);
  });

  test("The drafts and published bodies of workflows are listed by workflow, and read if they have a text", async () => {
    const one = await makeWorkflow({ body: newBody('["é","team"]') });
    await publish(one.id);
    const draft = await save(one.id, '["other"]');
    const two = await addWorkflow({ body: newBody('["teams","xy"]') });
    const three = await addWorkflow({ body: newBody('["x"]') });
    await publish(three.id);
    const gone = await addWorkflow({ body: newBody('["team"]') });
    await deleteWorkflow(db(), gone.id, at);
    const listed = [];
    for (let after: string | undefined = ""; after !== undefined; ) {
      const bodies = await listCurrentBodies(db(), { after, limit: 1 });
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
    expect(await readBodiesWith(db(), ids, ['"team"', '"other"'])).toEqual(
      new Map([
        [draft, '["other"]'],
        [one.body.id, '["é","team"]'],
      ]),
    );
    expect(await readBodiesWith(db(), [], ['"team"'])).toEqual(new Map());
  });

  test("A body stays as long as a run needs it, also after the workflow is deleted", async () => {
    const { id, body } = await makeWorkflow();
    const run = newWorkflowRun({ workflowId: id, bodyId: body.id });
    const accepted = { run, queue: queueOf(), deliveryId: null, claimBy: null };
    await stores().store.workflowRuns.accept(accepted);
    const second = await save(id, "2");
    await deleteWorkflow(db(), id, at);
    expect(await readBody(db(), body.id)).toBe(body.text);
    expect(await readBody(db(), second)).toBeNull();
    await toKysely(db()).deleteFrom("workflow_runs").execute();
    await transaction(db(), (trx) => removeUnusedBodies(trx, [body.id, "none"]));
    expect(await readBody(db(), body.id)).toBeNull();
  });

  test("A version is restored into the draft without a copy of its body", async () => {
    const { id, body } = await makeWorkflow();
    await publish(id);
    const second = await save(id, "2");
    expect(await restoreDraft(db(), id, { bodyId: body.id, savedBy: "bob", at })).toBe(true);
    expect(await findWorkflow(db(), id)).toMatchObject({ draftBodyId: body.id, draftRevision: 3 });
    expect(await readBody(db(), second)).toBeNull();
    expect(await restoreDraft(db(), "none", { bodyId: body.id, savedBy: "bob", at })).toBe(false);
  });

  test("Old versions beyond the limit are removed with their bodies, but not the one in the draft", async () => {
    const { id, body } = await makeWorkflow();
    await publish(id, 2);
    const second = await save(id, "2");
    await publish(id, 2);
    const third = await save(id, "3");
    await publish(id, 2);
    expect((await listVersions(db(), id)).map(({ version }) => version)).toEqual([3, 2]);
    expect(await readBody(db(), body.id)).toBeNull();
    await restoreDraft(db(), id, { bodyId: second, savedBy: "bob", at });
    await publish(id, 2);
    await publish(id, 2);
    expect((await listVersions(db(), id)).map(({ version }) => version)).toEqual([5, 4]);
    expect(await readBody(db(), second)).toBe("2");
    expect(await readBody(db(), third)).toBeNull();
  });

  test("The editors of a body are those who saved, restored and published it", async () => {
    await makeWorkflow({ id: "wf" });
    const bodyOf = async () => (await findWorkflow(db(), "wf"))?.draftBodyId ?? "";
    const first = await bodyOf();
    const [creator = ""] = await listBodyEditors(db(), [first]);
    const publication = { note: "", at: 1, versionsMax: 10 };
    await publishDraft(db(), "wf", { ...publication, publishedBy: "publisher" });
    const body = { id: crypto.randomUUID(), text: "{}" };
    await putDraft(db(), "wf", { body, savedBy: "saver", at: 2 });
    expect(await listBodyEditors(db(), [await bodyOf()])).toEqual(["saver"]);
    const version = await findVersion(db(), "wf", 1);
    expect(version?.bodyId).toBe(first);
    await restoreDraft(db(), "wf", { bodyId: first, savedBy: "restorer", at: 3 });
    expect((await listBodyEditors(db(), [first])).toSorted()).toEqual(
      [creator, "publisher", "restorer"].toSorted(),
    );
    const next = { id: crypto.randomUUID(), text: "{}" };
    await putDraft(db(), "wf", { body: next, savedBy: "saver", at: 4 });
    await runSql(db(), "update workflow_versions set published_by = 'other'");
    expect(await listBodyEditors(db(), [first])).toEqual(
      expect.arrayContaining(["publisher", "restorer"]),
    );
    await restoreDraft(db(), "wf", { bodyId: first, savedBy: "restorer", at: 5 });
    // A server of the version before records only who saved the draft and who published.
    await runSql(db(), "delete from workflow_body_editors");
    expect((await listBodyEditors(db(), [first])).toSorted()).toEqual(["other", "restorer"]);
  });
}
