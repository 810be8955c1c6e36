import type { WorkflowDecision, WorkflowResume } from "@hub/contract/workflow-run.ts";
import { workflowResumeBodySchema } from "@hub/contract/workflow-run.ts";
import { answeringCommand } from "../declare/command.ts";
import { argument, choice, flag, pairs, repeated, type Values } from "../declare/parameters.ts";
import { detail } from "../declare/view.ts";
import { toPrintable } from "../text/table.ts";
import { oneWorkflow } from "../workflows/workflow-command.ts";
import { parseDocument } from "../workflows/workflow-file.ts";
import { answerStarted } from "./workflow-run.ts";

const decisionOptions = {
  repeat: repeated("<node>", "run this step again, which may have happened"),
  succeeded: pairs("<node=json>", "the step succeeded with this output; can be repeated"),
  failed: repeated("<node>", "the step failed; the run goes on by on_error"),
};

export const workflowResume = answeringCommand(
  "resume",
  "go on where a run ended or waits; steps that have succeeded do not run again",
  {
    takes: {
      ...oneWorkflow,
      run: argument("<run>", "id of a run that failed, was cancelled or waits for a person"),
      body: choice(
        "<body>",
        "by which body; then is that of the run (default: then)",
        workflowResumeBodySchema.options,
      ),
      ...decisionOptions,
      preview: flag("show what would be taken over, and which steps need a decision"),
      wait: flag("wait for the end; the exit code is 1 unless the run succeeded"),
    },
    help: {
      about: "A step is the id of its node, with :INDEX for one item of for_each: --repeat send:3",
    },
    async answers(hub, { id: workflow, run, body, preview, ...values }) {
      const { previewResume, resumeRun } = await import(
        "@hub/server/workflows/runs/resume/resume-run.ts"
      );
      const { services, author } = hub;
      const target = { workflow, run };
      if (preview) {
        const shown = await previewResume(services, author.caller, target, { body });
        return { json: shown, text: toPreviewText(shown) };
      }
      const decisions = readDecisions(values);
      const resumed = await resumeRun(services, author.caller, target, { body, decisions });
      return await answerStarted(hub, { workflow, run: resumed.run_id }, values);
    },
  },
);

function readDecisions({
  repeat = [],
  failed = [],
  succeeded = {},
}: Values<typeof decisionOptions>) {
  const decisions: WorkflowDecision[] = [
    ...repeat.map((step) => ({ ...toStep(step), decision: "repeat" as const })),
    ...failed.map((step) => ({ ...toStep(step), decision: "failed" as const })),
    ...Object.entries(succeeded).map(([step, json]) => ({
      ...toStep(step),
      decision: "succeeded" as const,
      output: parseDocument(`--succeeded ${step}`, json),
    })),
  ];
  return decisions;
}

/** `send:3` is the item 3 of the node `send`. */
function toStep(text: string): { node_id: string; item?: number } {
  const [, node = text, item] = /^(.*):(\d{1,6})$/.exec(text) ?? [];
  return { node_id: node, ...(item !== undefined && { item: Number(item) }) };
}

const toList = (ids: readonly string[]) => (ids.length === 0 ? "none" : ids);

const toFacts = detail<WorkflowResume>([
  ["goes on", ({ is_same_run }) => (is_same_run ? "in the same run" : "in a new run")],
  ["taken over", ({ taken_over }) => toList(taken_over)],
  ["runs again", ({ runs_again }) => toList(runs_again)],
]);

function toPreviewText(resume: WorkflowResume): string {
  const open = resume.undecided.map(({ node_id: node, item, message }) => {
    const step = item === null ? node : `${node}:${item}`;
    return `needs a decision  ${toPrintable(`${step}  ${message}`)}`;
  });
  return [toFacts(resume), ...open].join("\n");
}
