import { containsText, type FieldRecord, parseFields } from "@hub/connector";
import type { WorkflowBody } from "@hub/contract/workflow-body.ts";
import type { TriggerOf, WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import { findReferences } from "../templates/find-references.ts";
import { parseTemplate } from "../templates/parser.ts";
import { TemplateError } from "../templates/template-error.ts";
import { findToolFault } from "../tools/define-tool.ts";
import { signatureKinds } from "../webhooks/signature-kinds.ts";
import { checkChannelTrigger } from "./check-channel.ts";
import { findScheduleFault, isTimezone } from "./check-schedule.ts";
import { suggestOne, suggestSecret } from "./describe-issue.ts";
import type { Graph } from "./graph.ts";
import type { Pace } from "./pace.ts";
import type { Path, ProblemList } from "./problem.ts";
import type { ValidationWorld } from "./validation-world.ts";

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

/** One segment of a slug: the characters that an address needs not encode. */
const segmentPattern = /^[A-Za-z0-9._~-]+$/;

function checkWebhook(check: TriggerCheck, path: Path, trigger: TriggerOf<"webhook">): void {
  const { problems, world } = check;
  const fault = trigger.path === undefined ? null : findSlugFault(trigger.path);
  if (fault !== null) {
    problems.error([...path, "path"], fault, "A slug looks like orders or orders/new.");
  }
  const { secret_ref: secret } = trigger;
  if (secret !== undefined && world.secretNames?.has(secret) === false) {
    const message = `The workflow has no secret "${secret}", so every request is refused.`;
    const hint = suggestSecret(secret, [...world.secretNames]);
    if (world.purpose === "publish") problems.error([...path, "secret_ref"], message, hint);
    else problems.warn([...path, "secret_ref"], message, hint);
  }
  checkSignatureKind(check, path, trigger);
  if (trigger.replay_window_s !== undefined && secret === undefined) {
    const message = "replay_window_s has no effect without secret_ref.";
    problems.warn([...path, "replay_window_s"], message, "Set secret_ref too.");
  }
  if (trigger.delivery_id !== undefined) {
    checkDeliveryId(problems, [...path, "delivery_id"], trigger.delivery_id);
  }
  checkRespond(check, path, trigger);
}

function checkSignatureKind(
  { problems, world }: TriggerCheck,
  path: Path,
  trigger: TriggerOf<"webhook">,
): void {
  const { signature: kind, signature_header: header, secret_ref: secret } = trigger;
  if (kind === undefined) return;
  const at = [...path, "signature"];
  if (secret === undefined) {
    const message = "signature has no effect without secret_ref, so everyone may send requests.";
    const hint = "Set secret_ref to the name of the sender's secret, or leave signature out.";
    if (world.purpose === "publish") problems.error(at, message, hint);
    else problems.warn(at, message, hint);
  }
  if (kind === "header" && header === undefined) {
    const message = "signature: header needs signature_header.";
    problems.error(at, message, "Name the header that has the secret, such as X-Api-Key.");
  }
  if (header !== undefined && kind !== "header" && kind !== "hub") {
    const message = `signature_header has no effect with signature: ${kind}.`;
    problems.warn([...path, "signature_header"], message, "Leave it out.");
  }
  if (trigger.replay_window_s !== undefined && signatureKinds[kind].isTimed === undefined) {
    const message = `replay_window_s has no effect with signature: ${kind}, which covers no time.`;
    problems.warn([...path, "replay_window_s"], message, "Leave it out.");
  }
}

/** It is rendered before the run exists, over what a stranger sent. */
function checkDeliveryId(problems: ProblemList, path: Path, template: string): void {
  const hint = "The id in a JSON body is {{.Event.Payload.body.id}}.";
  try {
    const { event, nodes, secrets, usesItem } = findReferences(parseTemplate(template));
    if (event.length > 0 && nodes.length === 0 && secrets.length === 0 && !usesItem) return;
    problems.error(path, "delivery_id reads .Event and .Env, and nothing else.", hint);
  } catch (thrown) {
    if (!(thrown instanceof TemplateError)) throw thrown;
    problems.error(path, thrown.message, hint);
  }
}

function findSlugFault(slug: string): string | null {
  if (slug === "") return "The path is empty. To accept every path, leave it out.";
  if (slug.startsWith("/")) return "The path begins with a slash.";
  for (const segment of slug.split("/")) {
    if (segment === "") return "The path has an empty segment.";
    // Clients remove such segments before they send a request.
    if (segment === "." || segment === "..") return `The path has the segment "${segment}".`;
    if (!segmentPattern.test(segment)) {
      return "The path has a character other than letters, digits, ., _, ~ and -.";
    }
  }
  return null;
}

function checkRespond(check: TriggerCheck, path: Path, trigger: TriggerOf<"webhook">): void {
  if (trigger.respond_mode !== "respond_node") return;
  const { graph, problems } = check;
  if (!graph.nodes.has(trigger.entry)) return;
  for (const id of graph.reachableFrom(trigger.entry)) {
    if (graph.nodes.get(id)?.type === "webhook_respond") return;
  }
  const message = `No webhook_respond node can be reached from "${trigger.entry}".`;
  const hint = "Connect one, or choose another respond_mode. Without it, requests get 502.";
  problems.warn([...path, "respond_mode"], message, hint);
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
