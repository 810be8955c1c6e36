import { containsText, type FieldRecord, parseFields } from "@hub/connector";
import type { WorkflowBody } from "@hub/contract/workflow-body.ts";
import type { TriggerOf, WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import { findToolFault } from "../../as-tools/define-tool.ts";
import { suggestOne } from "../describe-issue.ts";
import type { Graph } from "../graph/body-graph.ts";
import type { Path, ProblemList } from "../problem-list.ts";
import type { Pace } from "../validation-pace.ts";
import type { ValidationWorld } from "../validation-world.ts";
import { checkChannelTrigger } from "./check-channel.ts";
import { findScheduleFault, isTimezone } from "./check-schedule.ts";
import { checkWebhook } from "./check-webhook.ts";

type TriggerCheck = {
  problems: ProblemList;
  body: WorkflowBody;
  graph: Graph;
  world: ValidationWorld;
  pace: Pace;
};

/**
 * Finding that a schedule never fires takes several milliseconds, so the schedules behind so many wrong ones are not
 * checked. A body with an error is not published.
 */
const wrongSchedulesMax = 10;

/** Checks what the schema cannot see: entries, schedules, slugs, fields and other workflows. */
export async function checkTriggers(check: TriggerCheck): Promise<void> {
  const { problems, body, graph } = check;
  const ids = [...graph.nodes.keys()];
  let wrongSchedules = 0;
  for (const [at, trigger] of body.triggers.entries()) {
    await check.pace();
    const path: Path = ["triggers", at];
    if (trigger.entry === "") {
      // As the canvas makes it, until it is connected.
      const message = "The trigger leads to no node.";
      problems.error([...path, "entry"], message, "Connect it to the node that runs first.");
    } else if (!graph.nodes.has(trigger.entry)) {
      const message = `There is no node "${trigger.entry}".`;
      problems.error([...path, "entry"], message, () => suggestOne(trigger.entry, ids, "Nodes"));
    }
    if (trigger.type === "cron" && wrongSchedules < wrongSchedulesMax) {
      if (!checkSchedule(problems, path, trigger)) wrongSchedules += 1;
    }
    await checkTrigger(check, path, trigger);
  }
  checkTools(problems, body.triggers);
  checkAddresses(problems, body.triggers);
  checkScheduleAt(problems, body.triggers);
}

async function checkTrigger(
  check: TriggerCheck,
  path: Path,
  trigger: WorkflowTrigger,
): Promise<void> {
  const { problems } = check;
  switch (trigger.type) {
    case "cron":
      return checkTimezone(problems, path, trigger);
    case "webhook":
      return checkWebhook(check, path, trigger);
    case "manual":
      return checkInput(problems, path, trigger);
    case "error":
      return await checkSource(check, path, trigger);
    case "channel":
      return checkChannelTrigger(check, path, trigger);
    case "schedule_at":
      return;
  }
}

function checkSchedule(problems: ProblemList, path: Path, trigger: TriggerOf<"cron">): boolean {
  const fault = findScheduleFault(trigger.schedule);
  if (fault === null) return true;
  problems.error([...path, "schedule"], fault, "Every day at 3 o'clock is: 0 0 3 * * *");
  return false;
}

function checkTimezone(problems: ProblemList, path: Path, trigger: TriggerOf<"cron">): void {
  if (trigger.timezone === undefined || isTimezone(trigger.timezone)) return;
  const message = `There is no time zone "${trigger.timezone}".`;
  problems.error([...path, "timezone"], message, "Use an IANA name, such as Europe/Berlin or UTC.");
}

/** A workflow is one tool. */
function checkTools(problems: ProblemList, triggers: readonly WorkflowTrigger[]): void {
  let first: string | null = null;
  for (const [at, trigger] of triggers.entries()) {
    if (trigger.type !== "manual" || !trigger.as_tool) continue;
    if (first !== null) {
      const message = `The trigger "${first}" is offered as a tool already.`;
      problems.error(["triggers", at, "as_tool"], message, "Set as_tool of only one trigger.");
    }
    const fault = findToolFault(trigger);
    if (fault !== null) {
      const message = `The trigger cannot be offered as a tool: its input schema ${fault}.`;
      problems.error(["triggers", at, "input"], message, "Shorten the tags of its fields.");
    }
    first ??= trigger.id;
  }
}

/** Two triggers cannot accept the same request. */
function checkAddresses(problems: ProblemList, triggers: readonly WorkflowTrigger[]): void {
  const known = new Map<string, string>();
  for (const [at, trigger] of triggers.entries()) {
    if (trigger.type !== "webhook") continue;
    for (const method of new Set([trigger.method].flat())) {
      const address = `${method} ${trigger.path ?? "*"}`;
      const other = known.get(address);
      if (other === undefined) known.set(address, trigger.id);
      else {
        const message = `The trigger "${other}" accepts ${method} requests with the same path.`;
        problems.error(
          ["triggers", at, "path"],
          message,
          "Give one of them another path or method.",
        );
      }
    }
  }
}

function checkScheduleAt(problems: ProblemList, triggers: readonly WorkflowTrigger[]): void {
  let isThere = false;
  for (const [at, { type }] of triggers.entries()) {
    if (type !== "schedule_at") continue;
    if (isThere) {
      const message = "There is a second schedule_at trigger.";
      problems.error(
        ["triggers", at],
        message,
        "Keep one: it is not clear which of them a time is for.",
      );
    }
    isThere = true;
  }
}

function checkInput(problems: ProblemList, path: Path, { input }: TriggerOf<"manual">): void {
  const names = new Set<string>();
  for (const [at, { name }] of input.entries()) {
    if (names.has(name)) {
      const message = `The field "${name}" is there twice.`;
      problems.error([...path, "input", at, "name"], message, "Remove one of them.");
      return;
    }
    names.add(name);
  }
  const record: FieldRecord = Object.fromEntries(
    input.map(({ name, type, tag }) => [name, { base: type, tag }]),
  );
  try {
    parseFields("The form", record);
  } catch (thrown) {
    if (!(thrown instanceof Error)) throw thrown;
    const at = input.findIndex(({ name }) => containsText(thrown.message, `field ${name}:`));
    const where = at === -1 ? [] : [at, "tag"];
    const message = thrown.message.replace(/[^.?!]$/, "$&.");
    problems.error(
      [...path, "input", ...where],
      message,
      "The reference of field tags has the grammar.",
    );
  }
}

async function checkSource(
  check: TriggerCheck,
  path: Path,
  trigger: TriggerOf<"error">,
): Promise<void> {
  const { problems, world } = check;
  const { source_workflow: source } = trigger;
  const at = [...path, "source_workflow"];
  if (source === world.workflowId) {
    const message = "A workflow cannot start from its own errors.";
    problems.error(at, message, "Make another workflow for them.");
  } else if (source !== "*" && (await world.findWorkflow?.(source, "errors")) === null) {
    const message = `There is no workflow "${source}" of this owner.`;
    problems.error(at, message, "Use the id of a workflow of the owner, or * for all of them.");
  }
}
