import type { WorkflowDetail, WorkflowOpened } from "@hub/contract/workflow.ts";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import { z } from "zod";
import { recordChange, stampChange } from "../../changes/record-change.ts";
import { HubError } from "../../errors.ts";
import { checkInput, descriptionSchema } from "../../lib/input/check-input.ts";
import { transaction } from "../../store/database/database.ts";
import { publishDraft } from "../../store/workflows/workflow-versions-table.ts";
import { syncToolRow } from "../as-tools/sync-tool-row.ts";
import { listIndexed, publishTriggers } from "../triggers/index-triggers.ts";
import { loadBody } from "./body-text.ts";
import { checkBody } from "./check-body.ts";
import type { DefinitionDeps } from "./definition-deps.ts";
import { presentDetail } from "./present-workflow.ts";
import { checkRevision, revisionSchema } from "./save-draft.ts";
import { listOpened } from "./walk-body.ts";
import { type Author, checkMayAuthor, loadWorkflow } from "./workflow-access.ts";
import { versionsMax } from "./workflow-limits.ts";

const publishSchema = z.strictObject({
  /** The revision that was read. */
  revision: revisionSchema,
  note: descriptionSchema.default(""),
});

export type PublishInput = z.input<typeof publishSchema>;

export type PublishedWorkflow = WorkflowDetail & {
  /** Warnings. */
  problems: WorkflowProblem[];
  /** What users who share a tag can make the owner call. */
  opened: WorkflowOpened[];
};

/** Makes the draft the next version. Errors stop it, warnings do not. */
export async function publishWorkflow(
  deps: DefinitionDeps,
  { caller, actor }: Author,
  id: string,
  input: PublishInput,
  signal?: AbortSignal,
): Promise<PublishedWorkflow> {
  const { store, config, now } = deps;
  const { revision, note } = checkInput(publishSchema, input);
  checkMayAuthor(config, caller);
  const draft = await loadWorkflow(store.db, caller, id, "manage");
  checkRevision(draft, revision);
  const body = await loadBody(store.db, draft.draftBodyId);
  const problems = await checkBody(deps, draft, body, { purpose: "publish", signal });
  checkNoErrors(problems);
  const opened = listOpened(body);
  const triggers = listIndexed(body);
  const at = now();
  const stamp = stampChange(actor, at);
  return await transaction(store.db, async (trx) => {
    const workflow = await loadWorkflow(trx, caller, id, "manage");
    checkRevision(workflow, revision);
    if (workflow.draftBodyId === workflow.publishedBodyId) {
      throw new HubError(
        "conflict",
        `The draft is published already, as version ${workflow.version}.`,
      );
    }
    const publication = { note, publishedBy: actor.userId, at, versionsMax };
    const version = await publishDraft(trx, id, publication);
    await publishTriggers(trx, workflow, triggers, at);
    const tool = await syncToolRow(trx, deps, id, at);
    await recordChange(trx, stamp, {
      action: "workflow.publish",
      kind: "workflow",
      id,
      name: workflow.name,
      detail: { version, ...(note !== "" && { note }), ...tool },
    });
    const published = await loadWorkflow(trx, caller, id, "manage");
    const isOpened = published.tags.length > 0 && published.runBy === "tags";
    const detail = await presentDetail(trx, caller, published);
    return { ...detail, problems, opened: isOpened ? opened : [] };
  });
}

function checkNoErrors(problems: readonly WorkflowProblem[]): void {
  const errors = problems.filter(({ severity }) => severity === "error");
  const [first] = errors;
  if (first === undefined) return;
  const more = errors.length === 1 ? "" : ` There are ${errors.length - 1} more errors.`;
  const prefix = first.path === "" ? "" : `${first.path}: `;
  throw new HubError("bad_request", `The draft has errors. ${prefix}${first.message}${more}`, {
    detail: { problems },
  });
}
