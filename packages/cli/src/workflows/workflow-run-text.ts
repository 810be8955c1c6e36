import { toJsonText } from "@hub/connector";
import type {
  WorkflowOutcome,
  WorkflowRun,
  WorkflowRunDetail,
  WorkflowRunEvent,
} from "@hub/contract/workflow-run.ts";
import { detail, table } from "../declare/view.ts";
import { toPrintable } from "../text/table.ts";

export const toOutcomeText = detail<WorkflowOutcome>([
  ["run", "run_id"],
  "state",
  ["output", ({ output }) => (output === null ? null : toJsonText(output))],
  "error",
]);

export const toRunTable = table<WorkflowRun>(
  [
    ["created", "created_at"],
    "state",
    ["version", ({ version }) => version ?? "draft"],
    ["started by", "started_by"],
    ["error", toMessage],
    "id",
  ],
  "There are no such runs.",
);

export function toRunText(run: WorkflowRunDetail): string {
  const steps = run.steps ?? [];
  const warnings = steps.flatMap(({ node_id: node, warnings }) =>
    warnings.map((warning) => `warning  ${toPrintable(`${node}: ${warning}`)}`),
  );
  return [`${toRunFacts(run)}\n\n${toStepTable(steps)}`, ...warnings, ...listWouldCall(run)].join(
    "\n",
  );
}

const toRunFacts = detail<WorkflowRunDetail>([
  ["run", "id"],
  "state",
  ["mode", ({ mode }) => (mode === "live" ? null : mode)],
  ["started by", "started_by"],
  ["created", "created_at"],
  ["ended", "ended_at"],
  ["error", toMessage],
]);

const toStepTable = table<NonNullable<WorkflowRunDetail["steps"]>[number]>(
  [["node", "node_id"], "item", "state", "tries", ["error", toMessage]],
  "No step has begun.",
);

function toMessage({ error }: { error: { message: string } | null }): string | null {
  return error?.message ?? null;
}

/** What a dry run has recorded instead of carrying it out. */
export function listWouldCall({ steps }: WorkflowRunDetail): string[] {
  return (steps ?? [])
    .filter((step) => step.would_call)
    .map(({ node_id: node, item, input }) => {
      const place = item === null ? node : `${node} [${item}]`;
      return `would call  ${toPrintable(`${place}  ${toJsonText(input)}`)}`;
    });
}

export function toEventLine(event: WorkflowRunEvent): string {
  if ("run" in event) {
    const { state, error } = event.run;
    const verb = state === "succeeded" || state === "failed" ? "" : "is ";
    return `The run ${verb}${state}${error === null ? "." : `: ${error.message}`}`;
  }
  const { node_id, item, state, error } = event.step;
  const place = item === null ? node_id : `${node_id} [${item}]`;
  return `${state.padEnd(9)}  ${place}${error === null ? "" : `  ${error.message}`}`;
}
