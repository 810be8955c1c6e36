import { toJsonText } from "@hub/connector";
import type {
  WorkflowOutcome,
  WorkflowRun,
  WorkflowRunDetail,
  WorkflowRunEvent,
} from "@hub/contract/workflow-run.ts";
import { toFacts, toPrintable, toTable } from "../text/table.ts";

export function toOutcomeText({ run_id, state, output, error }: WorkflowOutcome): string {
  return toFacts([
    ["run", run_id],
    ["state", state],
    ["output", output === null ? null : toJsonText(output)],
    ["error", error],
  ]);
}

export function toRunTable(runs: readonly WorkflowRun[]): string {
  return toTable(
    runs,
    [
      ["created", ({ created_at }) => created_at],
      ["state", ({ state }) => state],
      ["version", ({ version }) => (version === null ? "draft" : version)],
      ["started by", ({ started_by }) => started_by],
      ["error", ({ error }) => error?.message ?? null],
      ["id", ({ id }) => id],
    ],
    "There are no such runs.",
  );
}

export function toRunText(run: WorkflowRunDetail): string {
  const facts = toFacts([
    ["run", run.id],
    ["state", run.state],
    ["mode", run.mode === "live" ? null : run.mode],
    ["started by", run.started_by],
    ["created", run.created_at],
    ["ended", run.ended_at],
    ["error", run.error?.message ?? null],
  ]);
  const steps = toTable(
    run.steps ?? [],
    [
      ["node", ({ node_id }) => node_id],
      ["item", ({ item }) => item],
      ["state", ({ state }) => state],
      ["tries", ({ tries }) => tries],
      ["error", ({ error }) => error?.message ?? null],
    ],
    "No step has begun.",
  );
  const warnings = (run.steps ?? []).flatMap(({ node_id: node, warnings }) =>
    warnings.map((warning) => `warning  ${toPrintable(`${node}: ${warning}`)}`),
  );
  return [`${facts}\n\n${steps}`, ...warnings, ...listWouldCall(run)].join("\n");
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
