import type { HubFile, HubFileChange, HubFileWorkflow } from "@hub/contract/hub-file.ts";
import { HubError } from "../../errors.ts";
import type { ValuePath } from "../../lib/yaml/find-position.ts";
import { toTagNames } from "../../store/tags/tags-table.ts";
import { isServiceEmail } from "../../store/users/service-users.ts";
import { findUserByEmail, findUserById } from "../../store/users/users-table.ts";
import {
  findWorkflow,
  listWorkflowPage,
  type WorkflowRecord,
} from "../../store/workflows/workflows-table.ts";
import { loadBody } from "../../workflows/definition/body-text.ts";
import {
  changeWorkflow,
  deleteWorkflow,
  disableWorkflow,
  enableWorkflow,
  setTags,
} from "../../workflows/definition/change-workflow.ts";
import { createWorkflow } from "../../workflows/definition/create-workflow.ts";
import { publishWorkflow } from "../../workflows/definition/publish-workflow.ts";
import { saveDraft } from "../../workflows/definition/save-draft.ts";
import { type ApplyContext, at, compareFields, hasField } from "./apply-context.ts";
import { applySecrets } from "./apply-workflow-secrets.ts";
import { checkCalledRows } from "./check-called-rows.ts";
import { recordKept, recordVersions } from "./record-not-carried.ts";
import { toSameText } from "./to-same-text.ts";

/**
 * Workflows by their ids. Pruning deletes those that the file does not name. While plugins are missing in a
 * dry run, bodies cannot be checked.
 */
export async function applyWorkflows(
  context: ApplyContext,
  { workflows }: Pick<HubFile, "workflows">,
  missing: ReadonlySet<string>,
): Promise<void> {
  if (workflows === undefined) return;
  const named = new Set<string>();
  const firstChange = context.changes.length;
  for (const [index, workflow] of workflows.entries()) {
    const place = ["workflows", index];
    if (named.has(workflow.id)) {
      throw context.refuse([...place, "id"], `"${workflow.id}" is in the file twice.`);
    }
    named.add(workflow.id);
    if (missing.size > 0) {
      const target = { kind: "workflow", name: workflow.name, id: workflow.id } as const;
      context.changes.push({ ...target, action: "unchecked", fields: [] });
    } else await at(context, place, () => applyWorkflow(context, place, workflow));
  }
  recordVersions(context, firstChange);
  if (context.isPruning) await pruneWorkflows(context, named);
}

const perPage = 200;

async function pruneWorkflows({ deps, author, changes }: ApplyContext, named: ReadonlySet<string>) {
  let after: WorkflowRecord | undefined;
  for (;;) {
    const limit = perPage;
    const page = await listWorkflowPage(deps.store.db, {}, { limit, ...(after && { after }) });
    for (const { id, name } of page) {
      if (named.has(id)) continue;
      await deleteWorkflow(deps, author, id);
      changes.push({ action: "delete", kind: "workflow", name, id, fields: [] });
    }
    after = page.at(-1);
    if (page.length < perPage) return;
  }
}

async function applyWorkflow(
  context: ApplyContext,
  place: ValuePath,
  given: HubFileWorkflow,
): Promise<void> {
  const { deps, author, changes } = context;
  const { id, name } = given;
  const email = given.owner.trim().toLowerCase();
  const owner = await findUserByEmail(deps.store.db, email);
  if (owner === null) {
    const message = isServiceEmail(email)
      ? `There is no service user "${email.slice(0, email.indexOf("@"))}". Make it first: hub service-user add`
      : `There is no user "${given.owner}". Add the user to users, or write the e-mail of another one.`;
    throw context.refuse([...place, "owner"], message);
  }
  await checkCalledRows(context, place, given);
  const present = await findWorkflow(deps.store.db, id);
  if (present === null) {
    const { description, body } = given;
    await createWorkflow(deps, author, {
      id,
      name,
      body,
      owner: owner.id,
      ...(description !== undefined && { description }),
    });
  } else if (present.ownerId !== owner.id) {
    const known = (await findUserById(deps.store.db, present.ownerId))?.email ?? "another user";
    const message = `The workflow is owned by ${known}. Another owner must accept it: write owner: ${known}, and offer it with \`hub workflow offer\`.`;
    throw context.refuse([...place, "owner"], message);
  }
  const workflow = present ?? (await load(context, id));
  const fields = [
    ...(await applyFacts(context, workflow, given)),
    ...(await applySecrets(context, workflow, given)),
    ...(await applyBodies(context, place, given)),
  ];
  if (present !== null && fields.length === 0) return;
  if (present === null) recordKept(context, given);
  const action = present === null ? "create" : "update";
  changes.push({ action, kind: "workflow", name, id, fields });
}

async function load({ deps }: ApplyContext, id: string): Promise<WorkflowRecord> {
  const workflow = await findWorkflow(deps.store.db, id);
  if (workflow !== null) return workflow;
  throw new Error(`The workflow ${id} disappeared right after it was made.`);
}

type Fields = HubFileChange["fields"];

/** Name, description, rights, tags and switch. */
async function applyFacts(
  { deps, author }: ApplyContext,
  workflow: WorkflowRecord,
  { name, description, run_by: runBy, enabled, tags }: HubFileWorkflow,
): Promise<Fields> {
  const { id } = workflow;
  const fields = compareFields(
    {
      name: name.trim(),
      description,
      run_by: runBy,
      enabled,
      tags: tags === undefined ? undefined : toTagNames(tags).sort(),
    },
    {
      name: workflow.name,
      description: workflow.description,
      run_by: workflow.runBy,
      enabled: workflow.enabled,
      tags: [...workflow.tags].sort(),
    },
  );
  if (["name", "description", "run_by"].some((field) => hasField(fields, field))) {
    await changeWorkflow(deps, author, id, {
      name,
      ...(description !== undefined && { description }),
      ...(runBy !== undefined && { runBy }),
    });
  }
  if (hasField(fields, "tags")) await setTags(deps, author, id, { tags: tags ?? [] });
  if (hasField(fields, "enabled")) {
    await (enabled ? enableWorkflow : disableWorkflow)(deps, author, id);
  }
  return fields;
}

/** What is published, and the draft. */
async function applyBodies(
  context: ApplyContext,
  place: ValuePath,
  { id, body, draft, published }: HubFileWorkflow,
): Promise<Fields> {
  const { deps, author } = context;
  const fields: Fields = [];
  const save = async (part: "body" | "draft", wanted: Record<string, unknown>) => {
    const { draftBodyId, draftRevision: revision } = await load(context, id);
    if (toSameText(await loadBody(deps.store.db, draftBodyId)) === toSameText(wanted)) return false;
    await at(context, [...place, part], () =>
      saveDraft(deps, author, id, { revision, body: wanted }),
    );
    return true;
  };
  const { publishedBodyId } = await load(context, id);
  if (!published) {
    if (publishedBodyId !== null) {
      const message =
        "The workflow is published already, which cannot be taken back. Write enabled: false to stop its triggers.";
      throw context.refuse([...place, "published"], message);
    }
    if (draft !== undefined) {
      const message = "A workflow that is not published has only a body. Take out draft.";
      throw context.refuse([...place, "draft"], message);
    }
    if (await save("body", body)) fields.push(toField("body"));
    return fields;
  }
  const present = publishedBodyId === null ? null : await loadBody(deps.store.db, publishedBodyId);
  if (present === null || toSameText(present) !== toSameText(body)) {
    await save("body", body);
    const { draftRevision: revision } = await load(context, id);
    await at(context, [...place, "body"], () => publish(context, id, revision));
    fields.push(toField("body"));
  }
  if (await save("draft", draft ?? body)) fields.push(toField("draft"));
  return fields;
}

/** Says all errors of the body, not only the first one. */
async function publish({ deps, author }: ApplyContext, id: string, revision: number) {
  try {
    await publishWorkflow(deps, author, id, { revision });
  } catch (thrown) {
    const problems: unknown = thrown instanceof HubError ? thrown.detail.problems : undefined;
    if (!Array.isArray(problems)) throw thrown;
    const errors = problems
      .filter(({ severity }) => severity === "error")
      .map(({ path, message, hint }) =>
        [path && `${path}:`, message, hint].filter(Boolean).join(" "),
      );
    throw new HubError("bad_request", `The body cannot be published. ${errors.join(" ")}`);
  }
}

function toField(field: string): Fields[number] {
  return { field, from: "(changed)", to: "(changed)", secret: false };
}
