import { toJsonText } from "@hub/connector";
import type { WorkflowRunEvent, WorkflowRunState } from "@hub/contract/workflow-run.ts";
import { workflowRunStateSchema } from "@hub/contract/workflow-run.ts";
import { type Command, Option } from "commander";
import type { Cli } from "../cli.ts";
import { exitCodes } from "../errors/usage-error.ts";
import { collectPairs, toWholeNumber } from "../input/option-values.ts";
import { waitForEnd } from "../process/wait-for-end.ts";
import type { Answer } from "../text/print-answer.ts";
import { isJsonWanted } from "../text/print-answer.ts";
import { toPrintable } from "../text/table.ts";
import { answerForOne, type WorkflowHub, workflowArgument } from "../workflows/workflow-command.ts";
import { parseDocument, readJsonFile } from "../workflows/workflow-file.ts";
import {
  listWouldCall,
  toEventLine,
  toOutcomeText,
  toRunTable,
  toRunText,
} from "../workflows/workflow-run-text.ts";

const loadFollow = () => import("@hub/server/workflows/runs/follow-run.ts");
const loadServed = () => import("@hub/server/workflows/runs/start/is-served.ts");
const loadList = () => import("@hub/server/workflows/runs/list-workflow-runs.ts");
const loadShow = () => import("@hub/server/workflows/runs/show-run.ts");
const runArgument = ["<run>", "id of the run"] as const;

type RunOptions = {
  trigger?: string;
  payload?: string;
  draft?: true;
  errorTriggers?: true;
  wait?: true;
  dryRun?: true;
  only?: string;
  pin?: Record<string, string>;
  pinsFrom?: string;
};
type ListOptions = { state?: WorkflowRunState; limit?: number };
type Target = { workflow: string; run: string };

/** The commands for runs, in the order of the help. */
export function defineWorkflowRun(workflow: Command, cli: Cli): void {
  defineRun(workflow, cli);
  defineRuns(workflow, cli);
  defineControls(workflow, cli);
  defineReplay(workflow, cli);
}

function defineRun(workflow: Command, cli: Cli): void {
  workflow
    .command("run")
    .argument(...workflowArgument)
    .description("start a run by a manual trigger; it acts as the owner of the workflow")
    .option("--trigger <id>", "the manual trigger, if there are several")
    .option("--payload <json>", "the fields of the trigger, as a JSON object or @file")
    .option("--draft", "run the draft instead of the published version")
    .option("--error-triggers", "with --draft: a failure starts error triggers of other workflows")
    .option("--wait", "wait for the end; the exit code is 1 if the run did not succeed")
    .option("--dry-run", "make reads only, and record what a live run would call")
    .option("--only <node>", "run this node alone")
    .option(
      "--pin <node=json>",
      "an output that stands in for that of a node; can be repeated",
      collectPairs,
    )
    .option("--pins-from <run>", "a run whose outputs stand in for those of nodes")
    .action((name: string, options: RunOptions, command: Command) =>
      answerForOne(cli, command, name, async (hub, id) => {
        const { startRun } = await import("@hub/server/workflows/runs/start/start-run.ts");
        const { services, author } = hub;
        const started = await startRun(services, author.caller, id, {
          triggerId: options.trigger,
          payload: await readPayload(cli, options.payload),
          isDraft: options.draft,
          firesErrors: options.errorTriggers,
          dryRun: {
            dry_run: options.dryRun,
            only_node: options.only,
            pins: options.pin === undefined ? undefined : readPins(options.pin),
            pins_from: options.pinsFrom,
          },
        });
        return await answerStarted(hub, { workflow: id, run: started.run_id }, options);
      }),
    );
}

function defineRuns(workflow: Command, cli: Cli): void {
  workflow
    .command("runs")
    .argument(...workflowArgument)
    .argument("[run]", "id of a run, to show it with its steps")
    .description(
      "list the runs of a workflow, newest first, or show one; --json has the input and output of each step",
    )
    .addOption(
      new Option("--state <state>", "only runs in this state").choices(
        workflowRunStateSchema.options,
      ),
    )
    .option("--limit <number>", "maximum number of runs (default: 50)", toWholeNumber)
    .action(
      (name: string, run: string | undefined, { state, limit }: ListOptions, command: Command) =>
        answerForOne(cli, command, name, async ({ services, author }, id) => {
          if (run !== undefined) {
            const { showRun } = await loadShow();
            const shown = await showRun(services, author.caller, { workflow: id, run });
            return { json: shown, text: toRunText(shown) };
          }
          const { listRuns } = await loadList();
          const page = { limit: limit ?? 50, ...(state !== undefined && { state }) };
          const { items } = await listRuns(services, author.caller, id, page);
          return { json: items, text: toRunTable(items) };
        }),
    );
}

function defineControls(workflow: Command, cli: Cli): void {
  workflow
    .command("watch")
    .argument(...workflowArgument)
    .argument(...runArgument)
    .description("print the steps of a run until it ends; the exit code is 1 unless it succeeded")
    .action((name: string, run: string, _: unknown, command: Command) =>
      watchRun(cli, command, { workflow: name, run }),
    );

  workflow
    .command("cancel")
    .argument(...workflowArgument)
    .argument(...runArgument)
    .description("cancel a run and its calls in flight")
    .action((name: string, run: string, _: unknown, command: Command) =>
      answerForOne(cli, command, name, async ({ services, author }, id) => {
        const { cancelWorkflowRun } = await import(
          "@hub/server/workflows/runs/cancel-workflow-run.ts"
        );
        const cancelled = await cancelWorkflowRun(services, author.caller, { workflow: id, run });
        const isNow = cancelled.cancelled === "now";
        const text = isNow ? "The run is cancelled." : "The server that has the run ends it.";
        return { json: cancelled, text };
      }),
    );
}

function defineReplay(workflow: Command, cli: Cli): void {
  workflow
    .command("replay")
    .argument(...workflowArgument)
    .argument(...runArgument)
    .description("start a new run with the event of an earlier one")
    .option("--draft", "run the draft instead of the published version")
    .option("--error-triggers", "with --draft: a failure starts error triggers of other workflows")
    .option("--dry-run", "make reads only, and record what a live run would call")
    .option("--wait", "wait for the end; the exit code is 1 unless the run succeeded")
    .action((name: string, run: string, options: RunOptions, command: Command) =>
      answerForOne(cli, command, name, async (hub, id) => {
        const { replayRun } = await import("@hub/server/workflows/runs/start/replay-run.ts");
        const { services, author } = hub;
        const given = {
          isDraft: options.draft,
          firesErrors: options.errorTriggers,
          isDryRun: options.dryRun,
        };
        const target = { workflow: id, run };
        const started = await replayRun(services, author.caller, target, given);
        return await answerStarted(hub, { workflow: id, run: started.run_id }, options);
      }),
    );
}

/** With `--json`, every event is a line. */
async function watchRun(cli: Cli, command: Command, { workflow, run }: Target): Promise<void> {
  const isJson = isJsonWanted(command);
  const { hub } = await cli.openHub(command, "cli");
  try {
    const { localAdmin, commandLineActor } = await import("@hub/server/identity/local-admin.ts");
    const { createLookups } = await import("../look-ups/look-up-names.ts");
    const lookups = createLookups(hub.services.store);
    const author = { caller: localAdmin, actor: commandLineActor };
    const target = { workflow: await lookups.findWorkflowId(workflow), run };
    await follow({ services: hub.services, author }, target, (event) => {
      const line = isJson ? toJsonText(event) : toPrintable(toEventLine(event));
      cli.terminal.stdout.write(`${line}\n`);
    });
  } finally {
    await hub.close();
  }
}

async function readPayload({ terminal }: Cli, given: string | undefined): Promise<unknown> {
  if (given === undefined) return undefined;
  if (given.startsWith("@")) return await readJsonFile(terminal, given.slice(1));
  return parseDocument("--payload", given);
}

/** What the state `unknown` means: only dry runs end so. */
const unknownEnd =
  "\nNothing failed. The dry run ends here, because what follows needs the answer of a call above, which was not made. To go on, give one with --pin NODE=JSON, or those of an earlier run with --pins-from RUN.";

export async function answerStarted(
  hub: WorkflowHub,
  target: Target,
  options: Pick<RunOptions, "wait" | "dryRun">,
): Promise<Answer> {
  const { isServed, queuedNote } = await loadServed();
  const { showOutcome } = await import("@hub/server/workflows/runs/show-outcome.ts");
  const served = await isServed(hub.services);
  if (served && options.wait === true) await follow(hub, target, () => {});
  const outcome = await showOutcome(hub.services, hub.author.caller, target);
  // What a dry run would call is all that it is about.
  const steps =
    options.dryRun && options.wait && served
      ? listWouldCall(await (await loadShow()).showRun(hub.services, hub.author.caller, target))
      : [];
  const end = outcome.state === "unknown" && options.dryRun ? [unknownEnd] : [];
  return {
    json: served ? outcome : { ...outcome, note: queuedNote },
    text: [toOutcomeText(outcome), ...steps, ...end].join("\n"),
    ...(!served && { note: queuedNote }),
  };
}

/** The ends of a run that do not fail a command: a dry run may end where it needs the answer of a call. */
const goodEnds: ReadonlySet<WorkflowRunState> = new Set(["succeeded", "unknown"]);

/** Follows a run until it ends, or until SIGINT or SIGTERM. A run that failed fails the command. */
async function follow(
  { services, author }: Pick<WorkflowHub, "services" | "author">,
  target: Target,
  onEvent: (event: WorkflowRunEvent) => void,
): Promise<void> {
  const { followRun } = await loadFollow();
  const stop = new AbortController();
  const end = waitForEnd();
  end.ended.then(() => stop.abort());
  try {
    for await (const page of followRun(services, author.caller, target, { signal: stop.signal })) {
      for (const event of page) {
        onEvent(event);
        if ("run" in event && !goodEnds.has(event.run.state)) process.exitCode = exitCodes.failure;
      }
    }
  } finally {
    end.stop();
  }
}

function readPins(pins: Record<string, string>): Record<string, unknown> {
  const read = ([node, json]: [string, string]) => [node, parseDocument(`--pin ${node}`, json)];
  return Object.fromEntries(Object.entries(pins).map(read));
}
