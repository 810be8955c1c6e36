import type { Workflow, WorkflowDetail, WorkflowOpened } from "@hub/contract/workflow.ts";
import type { WorkflowProblem } from "@hub/contract/workflow-problem.ts";
import { toFacts, toPrintable, toTable } from "../text/table.ts";

export function toWorkflowTable(workflows: readonly Workflow[]): string {
  return toTable(
    workflows,
    [
      ["id", ({ id }) => id],
      ["name", ({ name }) => name],
      ["owner", ({ owner }) => owner?.email ?? null],
      ["version", ({ version }) => version],
      ["tags", ({ tags }) => tags.join(", ")],
      ["state", toState],
    ],
    "There are no such workflows.",
  );
}

export function toWorkflowText(workflow: WorkflowDetail): string {
  const { draft, secrets } = workflow;
  return toFacts([
    ["id", workflow.id],
    ["name", workflow.name],
    ["description", workflow.description],
    ["owner", workflow.owner?.email ?? null],
    ["offered to", workflow.pending_owner?.email ?? null],
    ["state", toState(workflow)],
    ["version", workflow.version],
    ["tags", workflow.tags.join(", ")],
    ["started by", workflow.run_by === "tags" ? "users who share a tag" : "its owner"],
    ["draft", draft && `revision ${draft.revision}, saved by ${draft.saved_by.email}`],
    [
      "secrets",
      (secrets ?? []).map(({ name, is_set }) => (is_set ? name : `${name} (not set)`)).join(", "),
    ],
  ]);
}

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

export function toOpenedTable(opened: readonly WorkflowOpened[]): string {
  return toTable(
    opened,
    [
      ["node", ({ node }) => node],
      ["type", ({ type }) => type],
      ["calls", ({ target }) => target],
    ],
    "It calls nothing.",
  );
}
