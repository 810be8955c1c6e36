import {
  type WorkflowDetail,
  type WorkflowRows,
  workflowExportSchema,
  workflowRunBySchema,
} from "@hub/contract/workflow.ts";
import { workflowIdSchema } from "@hub/contract/workflow-names.ts";
import { z } from "zod";
import type { Caller } from "../../caller.ts";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { isVisible } from "../../connectors/rows/row-visibility.ts";
import { HubError } from "../../errors.ts";
import { LOCAL_ADMIN_ID } from "../../identity/local-admin.ts";
import {
  checkInput,
  descriptionSchema,
  lineSchema,
  toBadRequest,
} from "../../lib/input/check-input.ts";
import { type Transaction, transaction } from "../../store/database/database.ts";
import { listRows } from "../../store/rows/rows-table.ts";
import { findEffectiveUser } from "../../store/users/find-effective-user.ts";
import { insertWorkflow, type NewWorkflow } from "../../store/workflows/workflow-changes.ts";
import { countWorkflowsOf } from "../../store/workflows/workflows-table.ts";
import { emptyBody, toNewBody } from "./body-text.ts";
import { findOtherRow, listCalledIds } from "./called-rows.ts";
import type { DefinitionDeps } from "./definition-deps.ts";
import { presentDetail } from "./present-workflow.ts";
import { type Author, checkMayAuthor, loadWorkflow } from "./workflow-access.ts";
import { toWorkflowId } from "./workflow-id.ts";
import { workflowsMax } from "./workflow-limits.ts";

const newWorkflowSchema = z.strictObject({
  /** Chosen by an admin; otherwise made of the name. */
  id: workflowIdSchema.optional(),
  name: lineSchema(100),
  description: descriptionSchema.default(""),
  runBy: workflowRunBySchema.default("tags"),
  body: z.unknown().optional(),
  /** The id of an example, whose body the draft gets. */
  example: z.string().optional(),
  /** The rows of the example: ids by the names that it gives them. */
  rows: z.record(z.string(), z.uuid({ error: "must be the id of a row." })).optional(),
  /** Entries of the example's `settings.env`. */
  env: z.record(z.string(), z.string().max(8192)).optional(),
  /** The id of its owner. Only the command line names one, because the local admin cannot own one. */
  owner: z.string().optional(),
});

export type NewWorkflowInput = z.input<typeof newWorkflowSchema>;

/** Creates a workflow with a draft. It begins without tags, so that only its owner and admins see it. */
export async function createWorkflow(
  deps: DefinitionDeps,
  author: Author,
  input: NewWorkflowInput,
): Promise<WorkflowDetail> {
  const { example, rows, env, ...given } = checkInput(newWorkflowSchema, input);
  if (example === undefined) {
    if (rows !== undefined) throw toBadRequest([{ path: "rows", message: "needs an example." }]);
    if (env !== undefined) throw toBadRequest([{ path: "env", message: "needs an example." }]);
    return await addWorkflow(deps, author, given, {});
  }
  if (given.body !== undefined) {
    throw toBadRequest([{ path: "body", message: "cannot be given together with an example." }]);
  }
  // Loaded when it is used, since few requests need the examples.
  const { fillExample } = await import("../examples/fill-example.ts");
  const { body, description } = fillExample({ example, rows: rows ?? {}, env: env ?? {} });
  const filled = { ...given, body, description: given.description || description };
  return await addWorkflow(deps, author, filled, { example });
}

const importSchema = workflowExportSchema.extend({
  id: newWorkflowSchema.shape.id,
  name: newWorkflowSchema.shape.name,
  description: newWorkflowSchema.shape.description,
  owner: newWorkflowSchema.shape.owner,
});

export type ImportInput = z.input<typeof importSchema>;

/** Creates a workflow from an export. Its secrets must be set. */
export async function importWorkflow(
  deps: DefinitionDeps,
  author: Author,
  input: ImportInput,
): Promise<WorkflowDetail> {
  const { format: _, secrets, run_by: runBy, rows = {}, ...rest } = checkInput(importSchema, input);
  await checkCalledRows(deps, author.caller, { body: rest.body, rows });
  return await addWorkflow(deps, author, { ...rest, runBy }, { imported: true, secrets });
}

async function checkCalledRows(
  { store, registry }: DefinitionDeps,
  caller: Caller,
  given: { body: unknown; rows: WorkflowRows },
): Promise<void> {
  const ids = listCalledIds([given.body]).filter((id) => given.rows[id] !== undefined);
  const present = ids.length === 0 ? [] : await listRows(store.db, { ids });
  // A hidden row changes no answer. Its operations cannot be called either.
  const seen = present.filter((row) => isVisible(caller, row));
  const other = findOtherRow(registry, given, seen);
  if (other === null) return;
  throw new HubError("conflict", other.message, { detail: { row: other.rowId } });
}

async function addWorkflow(
  { store, config, now }: DefinitionDeps,
  { caller, actor, isModel }: Author,
  input: Omit<z.output<typeof newWorkflowSchema>, "example" | "rows" | "env">,
  detail: Record<string, unknown>,
): Promise<WorkflowDetail> {
  const { name, description, runBy, body = emptyBody } = input;
  checkMayAuthor(config, caller);
  if (input.id !== undefined && caller.role !== "admin") {
    throw toBadRequest([{ path: "id", message: "can be chosen by admins only. Leave it out." }]);
  }
  const isLocal = caller.userId === LOCAL_ADMIN_ID;
  if (isLocal === (input.owner === undefined)) throw refuseOwner(isLocal);
  const ownerId = input.owner ?? caller.userId;
  const createdAt = now();
  const draft = toNewBody(body, { isModel, at: createdAt });
  const stamp = stampChange(actor, createdAt);
  const add = (id: string) =>
    transaction(store.db, async (trx) => {
      await checkOwner(trx, ownerId);
      const workflow: NewWorkflow = {
        id,
        name,
        description,
        ownerId,
        runBy,
        createdAt,
        tags: [],
        body: draft,
        savedBy: actor.userId,
      };
      if (!(await insertWorkflow(trx, workflow))) return null;
      const action = "workflow.create";
      await recordChange(trx, stamp, { action, kind: "workflow", id, name, detail });
      return await presentDetail(trx, caller, await loadWorkflow(trx, caller, id, "manage"));
    });
  if (input.id !== undefined) {
    const made = await add(input.id);
    if (made !== null) return made;
    throw new HubError("conflict", `The id "${input.id}" is taken, or was. Choose another one.`);
  }
  for (let attempts = 1; attempts <= attemptsMax; attempts += 1) {
    const made = await add(toWorkflowId(name));
    if (made !== null) return made;
  }
  throw new Error("No free id was found for the workflow.");
}

/** Of a billion ids with the same name, one is free at once. */
const attemptsMax = 5;

function refuseOwner(isLocal: boolean): HubError {
  const message = isLocal
    ? "is required: the local admin cannot own a workflow. Name a user."
    : "is always the user who creates the workflow. Leave it out.";
  return toBadRequest([{ path: "owner", message }]);
}

/** Throws unless the user is active and may own one more workflow. */
export async function checkOwner(trx: Transaction, ownerId: string): Promise<void> {
  const owner = await findEffectiveUser(trx, ownerId);
  if (owner?.status !== "active") {
    throw toBadRequest([{ path: "owner", message: "must be an active user." }]);
  }
  if ((await countWorkflowsOf(trx, ownerId)) < workflowsMax) return;
  throw new HubError(
    "conflict",
    `${owner.email} owns ${workflowsMax} workflows, which is the maximum. Delete one first.`,
  );
}
