import { expect } from "bun:test";
import type { Db } from "../database/database.ts";
import { newUser, newWorkflow } from "../test-data.ts";
import { insertUser, type User } from "../users/users-table.ts";
import { insertWorkflow, type NewWorkflow } from "../workflows/workflow-changes.ts";
import { putDraft } from "../workflows/workflow-drafts.ts";
import { publishDraft } from "../workflows/workflow-versions-table.ts";
import type { TestStores } from "./test-stores.ts";

/** Writes of workflows, with values for what a test does not name. */
export function createWorkflowWrites(stores: () => TestStores) {
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
  return { at, ownerId: () => ann.id, makeWorkflow, addWorkflow, newBody, save, publish };
}
