import type {
  WorkflowDecision,
  WorkflowResume,
  WorkflowResumeBody,
} from "@hub/contract/workflow-run.ts";
import { workflowResumeBodySchema } from "@hub/contract/workflow-run.ts";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { collect, collectPairs } from "../input/option-values.ts";
import { toFacts, toPrintable } from "../text/table.ts";
import { answerForOne, workflowArgument } from "../workflows/workflow-command.ts";
import { parseDocument } from "../workflows/workflow-file.ts";
import { answerStarted } from "./workflow-run.ts";

type ResumeOptions = {
  body?: WorkflowResumeBody;
  repeat?: string[];
  failed?: string[];
  succeeded?: Record<string, string>;
  preview?: true;
  wait?: true;
};

export function defineWorkflowResume(workflow: Command, cli: Cli): void {
  workflow
    .command("resume")
    .argument(...workflowArgument)
    .argument("<run>", "id of a run that failed, was cancelled or waits for a person")
    .description("go on where a run ended or waits; steps that have succeeded do not run again")
    .addOption(
      new Option("--body <body>", "by which body; then is that of the run (default: then)").choices(
        workflowResumeBodySchema.options,
      ),
    )
    .option("--repeat <node>", "run this step again, which may have happened", collect)
    .option(
      "--succeeded <node=json>",
      "the step succeeded with this output; can be repeated",
      collectPairs,
    )
    .option("--failed <node>", "the step failed; the run goes on by on_error", collect)
    .option("--preview", "show what would be taken over, and which steps need a decision")
    .option("--wait", "wait for the end; the exit code is 1 unless the run succeeded")
    .addHelpText(
      "after",
      "\nA step is the id of its node, with :INDEX for one item of for_each: --repeat send:3",
    )
    .action((name: string, run: string, options: ResumeOptions, command: Command) =>
      answerForOne(cli, command, name, async (hub, id) => {
        const { previewResume, resumeRun } = await import(
          "@hub/server/workflows/runs/resume/resume-run.ts"
        );
        const { services, author } = hub;
        const target = { workflow: id, run };
        const { body } = options;
        if (options.preview === true) {
          const shown = await previewResume(services, author.caller, target, { body });
          return { json: shown, text: toPreviewText(shown) };
        }
        const decisions = readDecisions(options);
        const resumed = await resumeRun(services, author.caller, target, { body, decisions });
        return await answerStarted(hub, { workflow: id, run: resumed.run_id }, options);
      }),
    );
}

function readDecisions({ repeat = [], failed = [], succeeded = {} }: ResumeOptions) {
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

function toPreviewText({ is_same_run, taken_over, runs_again, undecided }: WorkflowResume): string {
  const list = (ids: readonly string[]) => (ids.length === 0 ? "none" : ids.join(", "));
  const facts = toFacts([
    ["goes on", is_same_run ? "in the same run" : "in a new run"],
    ["taken over", list(taken_over)],
    ["runs again", list(runs_again)],
  ]);
  const open = undecided.map(({ node_id: node, item, message }) => {
    const step = item === null ? node : `${node}:${item}`;
    return `needs a decision  ${toPrintable(`${step}  ${message}`)}`;
  });
  return [facts, ...open].join("\n");
}
