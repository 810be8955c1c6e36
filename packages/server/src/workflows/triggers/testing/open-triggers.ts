import type { WorkflowBodyInput } from "@hub/contract/workflow-body.ts";
import { transaction } from "../../../store/database/database.ts";
import { bumpRevision } from "../../../store/settings/revision.ts";
import { newUser, newWorkflow } from "../../../store/test-data.ts";
import { insertUser } from "../../../store/users/users-table.ts";
import { insertWorkflow } from "../../../store/workflows/workflow-changes.ts";
import { putTriggers } from "../../../store/workflows/workflow-triggers.ts";
import type { EngineDeps } from "../../engine/engine.ts";
import type { OpenStep } from "../../engine/step/open-step.ts";
import { openEngine, owner, type TestEngine } from "../../engine/testing/open-engine.ts";
import type { KnownWorkflow } from "../../workflow-directory.ts";
import { findErrorRuns } from "../find-error-runs.ts";
import { listIndexed } from "../index-triggers.ts";

export type TestTriggers = TestEngine & {
  /** Adds a workflow of Ann, or of another user, with the index of its triggers. */
  publish(
    body: WorkflowBodyInput,
    given?: Partial<KnownWorkflow>,
    at?: number,
  ): Promise<KnownWorkflow>;
  addUser(role: "admin" | "user"): Promise<string>;
};

type Options = {
  operation?: OpenStep<"operation">;
  deps?: Partial<EngineDeps>;
  /** The directory in which error triggers are found. */
  toDirectory?(directory: EngineDeps["directory"]): EngineDeps["directory"];
};

/** An engine whose failed runs fire error triggers. */
export async function openTriggers({
  operation,
  deps = {},
  toDirectory = (directory) => directory,
}: Options = {}): Promise<TestTriggers> {
  const hub: TestEngine = await openEngine(operation, ({ db, directory: all, logFailure }) => {
    const directory = toDirectory(all);
    return {
      findErrorRuns: (run, failure) =>
        findErrorRuns({ db, directory, plans: hub.engine.plans, logFailure }, run, failure),
      ...deps,
    };
  });
  const { db } = hub.store;
  await insertUser(db, newUser({ id: owner.userId, email: owner.email }));
  return {
    ...hub,
    async addUser(role) {
      const email = `${crypto.randomUUID()}@example.com`;
      return (await insertUser(db, newUser({ email, role }))).id;
    },
    async publish(body, given, at = Date.now()) {
      const workflow = hub.addWorkflow(body, given);
      const { id, ownerId } = workflow;
      await insertWorkflow(db, newWorkflow(ownerId, { id }));
      // Safe: a body is JSON.
      const triggers = listIndexed(JSON.parse(JSON.stringify(body)));
      await transaction(db, async (trx) => {
        await putTriggers(trx, id, triggers, at);
        await bumpRevision(trx);
      });
      return workflow;
    },
    [Symbol.asyncDispose]: () => hub[Symbol.asyncDispose](),
  };
}
