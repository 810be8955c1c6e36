import { toJsonText } from "@hub/connector";
import type { WorkflowRunEvent, WorkflowRunState } from "@hub/contract/workflow-run.ts";
import { workflowRunStateSchema } from "@hub/contract/workflow-run.ts";
import type { Command } from "commander";
import type { Cli, CommandHub } from "../cli.ts";
import { answeringCommand, command } from "../declare/command.ts";
import {
  addParameters,
  argument,
  choice,
  flag,
  option,
  pairs,
  type Values,
  wholeNumber,
} from "../declare/parameters.ts";
import { exitCodes } from "../errors/usage-error.ts";
import type { Lookups } from "../look-ups/look-up-names.ts";
import { waitForEnd } from "../process/wait-for-end.ts";
import type { Answer } from "../text/print-answer.ts";
import { isJsonWanted } from "../text/print-answer.ts";
import { toPrintable } from "../text/table.ts";
import { oneRun, oneWorkflow } from "../workflows/workflow-command.ts";
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

type Target = { workflow: string; run: string };

const bodyOptions = {
  draft: flag("run the draft instead of the published version"),
  errorTriggers: flag("with --draft: a failure starts error triggers of other workflows"),
};
const dryRun = flag("make reads only, and record what a live run would call");

const start = answeringCommand(
  "run",
  "start a run by a manual trigger; it acts as the owner of the workflow",
  {
    takes: {
      ...oneWorkflow,
      trigger: option("<id>", "the manual trigger, if there are several"),
      payload: option("<json>", "the fields of the trigger, as a JSON object or @file"),
      ...bodyOptions,
      wait: flag("wait for the end; the exit code is 1 if the run did not succeed"),
      dryRun,
      only: option("<node>", "run this node alone"),
      pin: pairs("<node=json>", "an output that stands in for that of a node; can be repeated"),
      draftPins: flag("add the outputs that are pinned for tests of the draft"),
      pinsFrom: option("<run>", "a run whose outputs stand in for those of nodes"),
    },
    async answers(hub, { id, pin, ...values }, cli) {
      const { startRun } = await import("@hub/server/workflows/runs/start/start-run.ts");
      const started = await startRun(hub.services, hub.author.caller, id, {
        triggerId: values.trigger,
        payload: await readPayload(cli, values.payload),
        isDraft: values.draft,
        firesErrors: values.errorTriggers,
        dryRun: {
          dry_run: values.dryRun,
          only_node: values.only,
          pins: pin === undefined ? undefined : readPins(pin),
          draft_pins: values.draftPins,
          pins_from: values.pinsFrom,
        },
      });
      return await answerStarted(hub, { workflow: id, run: started.run_id }, values);
    },
  },
);

const runs = answeringCommand(
  "runs",
  "list the runs of a workflow, newest first, or show one; --json has the input and output of each step",
  {
    takes: {
      ...oneWorkflow,
      run: argument("[run]", "id of a run, to show it with its steps"),
      state: choice("<state>", "only runs in this state", workflowRunStateSchema.options),
      limit: wholeNumber("<number>", "maximum number of runs (default: 50)"),
    },
    async answers({ services, author: { caller } }, { id, run, limit = 50, ...filter }) {
      if (run !== undefined) {
        const { showRun } = await loadShow();
        const shown = await showRun(services, caller, { workflow: id, run });
        return { json: shown, text: toRunText(shown) };
      }
      const { listRuns } = await loadList();
      const { items } = await listRuns(services, caller, id, { limit, ...filter });
      return { json: items, text: toRunTable(items) };
    },
  },
);

function defineWatch(workflow: Command, cli: Cli): void {
  const watch = workflow
    .command("watch")
    .description("print the steps of a run until it ends; the exit code is 1 unless it succeeded");
  const readValues = addParameters(watch, oneRun, cli.name);
  watch.action(() => watchRun(cli, watch, readValues));
}

const cancel = command("cancel", "cancel a run and its calls in flight", {
  takes: oneRun,
  async does({ services, author }, { id: workflow, run }) {
    const { cancelWorkflowRun } = await import("@hub/server/workflows/runs/cancel-workflow-run.ts");
    return await cancelWorkflowRun(services, author.caller, { workflow, run });
  },
  shows: ({ cancelled }) =>
    cancelled === "now" ? "The run is cancelled." : "The server that has the run ends it.",
});

const replay = answeringCommand("replay", "start a new run with the event of an earlier one", {
  takes: {
    ...oneRun,
    ...bodyOptions,
    dryRun,
    wait: flag("wait for the end; the exit code is 1 unless the run succeeded"),
  },
  async answers(hub, { id: workflow, run, ...values }) {
    const { replayRun } = await import("@hub/server/workflows/runs/start/replay-run.ts");
    const { services, author } = hub;
    const { draft: isDraft, errorTriggers: firesErrors, dryRun: isDryRun } = values;
    const given = { isDraft, firesErrors, isDryRun };
    const started = await replayRun(services, author.caller, { workflow, run }, given);
    return await answerStarted(hub, { workflow, run: started.run_id }, values);
  },
});

/** The commands for runs, in the order of the help. */
export const workflowRuns = [start, runs, defineWatch, cancel, replay];

/** With `--json`, every event is a line. */
async function watchRun(
  cli: Cli,
  command: Command,
  readValues: (lookups: Lookups) => Promise<Values<typeof oneRun>>,
): Promise<void> {
  const isJson = isJsonWanted(command);
  const { hub } = await cli.openHub(command, "cli");
  try {
    const { localAdmin: caller } = await import("@hub/server/identity/local-admin.ts");
    const { createLookups } = await import("../look-ups/look-up-names.ts");
    const { services } = hub;
    const { id: workflow, run } = await readValues(createLookups(services.store));
    await follow({ services, caller }, { workflow, run }, (event) => {
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
  hub: CommandHub,
  target: Target,
  options: { wait?: true; dryRun?: true },
): Promise<Answer> {
  const { isServed, queuedNote } = await loadServed();
  const { showOutcome } = await import("@hub/server/workflows/runs/show-outcome.ts");
  const served = await isServed(hub.services);
  if (served && options.wait === true)
    await follow({ services: hub.services, caller: hub.author.caller }, target, () => {});
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
  { services, caller }: Pick<CommandHub, "services"> & Pick<CommandHub["author"], "caller">,
  target: Target,
  onEvent: (event: WorkflowRunEvent) => void,
): Promise<void> {
  const { followRun } = await loadFollow();
  const stop = new AbortController();
  const end = waitForEnd();
  end.ended.then(() => stop.abort());
  try {
    for await (const page of followRun(services, caller, target, { signal: stop.signal })) {
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
