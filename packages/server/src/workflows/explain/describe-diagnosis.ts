import { toCodeSpan } from "@hub/contract/code-spans.ts";
import type { WorkflowDiagnosis } from "@hub/contract/workflow-explanation.ts";
import type { BodyParts } from "./read-parts.ts";
import { showData } from "./show-data.ts";
import { toSections } from "./to-markdown.ts";
import { toCount, toDuration, toList } from "./words.ts";

/** Everything that the words of a diagnosis are made of. */
export type Findings = Omit<WorkflowDiagnosis, "summary" | "sentences" | "markdown"> & {
  workflowName: string;
  cancelReason: string | null;
  queue: BodyParts["settings"]["queue"];
  nodeType: string | null;
  isAdmin: boolean;
};

type Words = Pick<WorkflowDiagnosis, "summary" | "sentences" | "markdown">;

const listedMax = 12;

/** The findings about a run in words. */
export function describeDiagnosis(findings: Findings): Words {
  const summary = summarize(findings);
  const why = [...describeStep(findings), ...describeMeaning(findings)];
  const changed = describeChanges(findings);
  const changes = listChanges(findings);
  return {
    summary,
    sentences: [...why, ...changed, ...changes],
    markdown: toSections([
      [`# Run of ${toCodeSpan(findings.workflowName)}`, [summary]],
      ["## Why", why.map((sentence) => `- ${sentence}`)],
      ["## What changed", [...changed, ...changes].map((sentence) => `- ${sentence}`)],
    ]),
  };
}

function summarize(findings: Findings): string {
  const { run, step } = findings;
  const name = step === null ? null : describeStepName(step);
  switch (run.state) {
    case "failed": {
      const message = toCodeSpan(run.error?.message ?? "", 500);
      return name === null
        ? `The run failed as a whole: ${message}`
        : `The run failed at ${name}: ${message}`;
    }
    case "waiting":
      return describeWaiting(findings, name);
    case "queued":
      return run.scheduled_at === null
        ? "The run waits until there is capacity: other runs of this workflow or of its owner run before it."
        : `The run starts at ${run.scheduled_at}.`;
    case "running":
      return "The run is running. It has not failed.";
    case "succeeded":
      return "The run succeeded.";
    case "cancelled":
      return `The run was cancelled: ${toCodeSpan(run.error?.message ?? findings.cancelReason ?? "no reason is known", 500)}`;
    case "dropped":
      return `${describeDropped(run.dropped_runs ?? 1)}, so nothing ran: ${describeDrop(findings)}`;
    case "unknown":
      return "The dry run could not go on everywhere, because it does not know what a step would return. Give that step an output and start the dry run again.";
  }
}

function describeStepName({ node_id: id, item }: NonNullable<Findings["step"]>): string {
  return item === null ? toCodeSpan(id) : `item ${item} of ${toCodeSpan(id)}`;
}

function describeWaiting({ run }: Findings, name: string | null): string {
  const { kind, message, run_ids: runIds } = Object(run.waiting_for);
  const step = name === null ? "" : ` at ${name}`;
  switch (kind) {
    case "time":
      return `The run waits${step} for its time.`;
    case "run": {
      const ids = Array.isArray(runIds) ? runIds.map((id) => toCodeSpan(String(id))) : [];
      return `The run waits${step} for the end of ${ids.length === 0 ? "another run" : `the run ${toList(ids)}`}.`;
    }
    case "approval":
      return `The run waits${step} for the decision of an approver.`;
    case "person":
      return `The run waits${step} for a person, because it is not known whether the step took effect: ${toCodeSpan(String(message ?? ""), 500)} Look at the other system, then resume the run with a decision, or cancel it.`;
    default:
      return "The run waits for a server that goes on with it.";
  }
}

function describeDropped(runs: number): string {
  if (runs === 1) return "The run was refused";
  return `${toCount(runs, "run")} were refused within a minute and share this record`;
}

function describeDrop({ queue }: Findings): string {
  return queue.policy === "drop"
    ? "another run was active, and the queue policy of the workflow is drop."
    : `${toCount(queue.waiting_max, "run")} or too much data were waiting already, which is the limit of the workflow.`;
}

function describeStep({ run, step, led_by: ledBy }: Findings): string[] {
  const sentences = ledBy.map(
    ({ node_id: id, message, code }) =>
      `The earlier step ${toCodeSpan(id ?? "")} failed first, with ${toCodeSpan(code)}: ${toCodeSpan(message, 500)}`,
  );
  if (step === null) return sentences;
  if (step.http_status !== null && step.state === "failed") {
    sentences.push(`The outside system answered with the status ${step.http_status}.`);
  }
  if (step.tries > 1) sentences.push(`It was tried ${step.tries} times.`);
  if (step.ended_at !== null) {
    const seconds = (Date.parse(step.ended_at) - Date.parse(step.started_at)) / 1000;
    if (seconds >= 1) sentences.push(`It took ${toDuration(Math.round(seconds))}.`);
  }
  // The decision of a person that a step failed is its error and its warning.
  const warnings = step.warnings.filter((warning) => warning !== run.error?.message);
  for (const warning of warnings.slice(0, listedMax)) {
    sentences.push(`A template of it warned: ${toCodeSpan(warning, 300)}`);
  }
  if (step.child_run_id !== null) {
    sentences.push(
      `The reason is in the run ${toCodeSpan(step.child_run_id)} of the other workflow.`,
    );
  }
  return sentences;
}

function describeMeaning({ run, meaning }: Findings): string[] {
  if (meaning === null || run.state !== "failed") return [];
  return [`${toCodeSpan(meaning.code)} means: ${meaning.meaning} ${meaning.advice}`];
}

function describeChanges(findings: Findings): string[] {
  const { run, step, last_success: last, runs_searched: searched, changes } = findings;
  if (step === null || run.state !== "failed") return [];
  const name = toCodeSpan(step.node_id);
  if (last === null || changes === null) {
    return [describeSearch(name, searched)];
  }
  const version = last.version === null ? "the draft" : `version ${last.version}`;
  const sentences = [
    `${name} last succeeded at ${last.at}, in the run ${toCodeSpan(last.run_id)} of ${version}.`,
  ];
  const hasConfiguration = changes.body.length + changes.records.length > 0;
  const readEvent = changes.event.some(({ is_read }) => is_read);
  if (hasConfiguration) return sentences;
  const seen = findings.isAdmin ? "" : " that you can see";
  if (changes.input.length > 0 || readEvent) {
    sentences.push(`Nothing${seen} was changed here since then. Only the data of the run differs.`);
    return sentences;
  }
  // A step that was refused before its fields were rendered has no inputs.
  const same = step.input === null ? "" : ", and its inputs are the same";
  const isOutside = outsideCodes.has(findings.meaning?.code ?? "");
  const other = isOutside ? ": the other side behaves differently" : "";
  sentences.push(`Nothing${seen} changed here since then${same}${other}.`);
  return sentences;
}

function describeSearch(name: string, searched: number): string {
  if (searched === 0)
    return "No earlier run of the workflow is kept, so there is none to compare with.";
  if (searched === 1) {
    return `${name} did not succeed in the run before, which is the only earlier one that is kept.`;
  }
  return `${name} did not succeed in any of the ${searched.toLocaleString("en-US")} runs before, as far as runs are kept.`;
}

const outsideCodes: ReadonlySet<string> = new Set([
  "upstream_error",
  "timeout",
  "plugin_unavailable",
]);

/** One sentence for each change. */
function listChanges({ run, changes }: Findings): string[] {
  if (changes === null || run.state !== "failed") return [];
  const { body, input, event, records } = changes;
  return [
    ...records
      .slice(0, listedMax)
      .map(({ at, text, by }) => `${at}${by === null ? "" : `, ${toCodeSpan(by)}`}: ${text}`),
    ...body.slice(0, listedMax).map((sentence) => `In the body: ${toCodeSpan(sentence, 300)}`),
    ...input.slice(0, listedMax).map((one) => `Of its inputs, ${describeDifference(one)}`),
    ...event
      .filter(({ is_read }) => is_read)
      .slice(0, listedMax)
      .map((one) => `Of what it reads of the event, ${describeDifference(one)}`),
  ];
}

type Difference = NonNullable<WorkflowDiagnosis["changes"]>["input"][number];

function describeDifference({ path, before, after }: Difference): string {
  const name = path === "" ? "everything" : toCodeSpan(path);
  if (before === undefined) return `${name} is new: ${showData(after)}.`;
  if (after === undefined) return `${name} is gone. It was ${showData(before)}.`;
  return `${name} was ${showData(before)} and is ${showData(after)}.`;
}
