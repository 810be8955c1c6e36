import { listDisabledNodes } from "@hub/contract/disabled-nodes.ts";
import type { Workflow, WorkflowDetail, WorkflowOpened } from "@hub/contract/workflow.ts";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import { detail, table } from "../declare/view.ts";
import { toPrintable } from "../text/table.ts";

export const toWorkflowTable = table<Workflow>(
  [
    "id",
    "name",
    ["owner", ({ owner }) => owner?.email ?? null],
    "version",
    "tags",
    ["state", toState],
  ],
  "There are no such workflows.",
);

export const toWorkflowText = detail<WorkflowDetail>([
  "id",
  "name",
  "description",
  ["owner", ({ owner }) => owner?.email ?? null],
  ["offered to", ({ pending_owner }) => pending_owner?.email ?? null],
  ["state", toState],
  "version",
  "tags",
  ["started by", ({ run_by }) => (run_by === "tags" ? "users who share a tag" : "its owner")],
  ["draft", ({ draft }) => draft && `revision ${draft.revision}, saved by ${draft.saved_by.email}`],
  ["switched off", ({ body }) => listDisabledNodes(body).map(({ id }) => id)],
  [
    "secrets",
    ({ secrets }) =>
      (secrets ?? []).map(({ name, is_set }) => (is_set ? name : `${name} (not set)`)),
  ],
]);

function toState({ enabled, version, draft, has_active_owner: hasOwner }: Workflow): string {
  if (!enabled) return "disabled";
  if (!hasOwner) return "without an active owner";
  if (version === 0) return "draft";
  return draft?.is_published === false ? "published, with a newer draft" : "published";
}

/** One line for each problem. */
export function toProblemText(problems: readonly WorkflowProblem[]): string {
  if (problems.length === 0) return "There are no problems.";
  const lines = problems.map(({ severity, path, message, hint }) => {
    const place = path === "" ? "" : `${path}: `;
    return toPrintable(`${severity}  ${place}${[message, hint].filter(Boolean).join(" ")}`);
  });
  return lines.join("\n");
}

export const toOpenedTable = table<WorkflowOpened>(
  ["node", "type", ["calls", "target"]],
  "It calls nothing.",
);
