import { toCodeSpan } from "@hub/contract/code-spans.ts";
import type { WorkflowNote } from "@hub/contract/workflow-explanation.ts";
import type { WorkflowNode } from "@hub/contract/workflow-node.ts";
import type { WorkflowTrigger } from "@hub/contract/workflow-trigger.ts";
import { parseToolId } from "../../operations/tool-id.ts";
import { findEffects } from "../engine/node-effects.ts";
import { findReachable, type Graph } from "../validation/graph.ts";
import { findNodeOperation } from "./explain-node.ts";
import type { ExplainWorld } from "./explain-world.ts";
import type { BodyParts } from "./read-parts.ts";
import { toCount, toList } from "./words.ts";

type Notes = WorkflowNote[];

/** What a reader should know before others run the workflow. */
export function findNotes(
  world: ExplainWorld,
  parts: BodyParts,
  graph: Graph,
  secrets: readonly string[],
): Notes {
  const notes: Notes = [];
  const warn = (id: string | null, text: string) => notes.push({ severity: "warning", id, text });
  const inform = (id: string | null, text: string) => notes.push({ severity: "info", id, text });
  noteState(world, parts, warn, inform);
  for (const trigger of parts.triggers) noteTrigger(world, graph, trigger, warn);
  const missing = secrets.filter((name) => !world.secretNames.has(name));
  if (missing.length > 0) {
    const names = missing.map((name) => toCodeSpan(name));
    warn(
      null,
      `These secrets are not set: ${toList(names)}. Steps and webhooks that need them fail.`,
    );
  }
  const entries = parts.triggers.map(({ entry }) => entry);
  const reached = findReachable(graph.outgoing, entries);
  const unapproved = findUnapproved(world, graph, entries);
  for (const node of graph.nodes.values()) {
    if (!reached.has(node.id)) {
      warn(node.id, `No trigger leads to ${toCodeSpan(node.id)}, so it never runs.`);
      continue;
    }
    noteNode(world, node, warn, inform);
  }
  if (unapproved.length > 0) {
    const names = unapproved.map((id) => toCodeSpan(id));
    inform(
      null,
      `${unapproved.length === 1 ? "This step changes" : "These steps change"} something without the approval of a person: ${toList(names, "and", 20)}.`,
    );
  }
  return notes;
}

type Note = (id: string | null, text: string) => void;

function noteState(world: ExplainWorld, parts: BodyParts, warn: Note, inform: Note): void {
  if (!world.owner.isActive) warn(null, "The owner is not an active user, so nothing runs.");
  if (world.publishedVersion === null) {
    inform(null, "The workflow was never published, so its triggers start nothing.");
  } else if (!world.isEnabled)
    warn(null, "The workflow is disabled, so its triggers start nothing.");
  if (parts.triggers.length === 0) warn(null, "It has no trigger, so nothing starts it.");
  if (parts.unreadable > 0) {
    warn(
      null,
      `${toCount(parts.unreadable, "part")} of the body cannot be read and ${parts.unreadable === 1 ? "is" : "are"} left out here. Validate the draft.`,
    );
  }
}

function noteTrigger(
  world: ExplainWorld,
  graph: Graph,
  trigger: WorkflowTrigger,
  warn: Note,
): void {
  const name = toCodeSpan(trigger.id);
  if (!graph.nodes.has(trigger.entry)) {
    warn(trigger.id, `The trigger ${name} leads to no step, so it starts nothing.`);
  }
  if (trigger.type === "channel") {
    const fault = world.findChannel(trigger.channel)?.fault ?? null;
    if (fault !== null) warn(trigger.id, `The trigger ${name} gets no events. ${fault}.`);
  }
  if (trigger.type !== "webhook") return;
  if (trigger.secret_ref === undefined) {
    warn(
      trigger.id,
      `Requests to the webhook ${name} need no signature: everyone who knows its address can start runs.`,
    );
  }
  if (trigger.respond_mode !== "respond_node") return;
  const reached = graph.reachableFrom(trigger.entry);
  const answers = [...reached].some((id) => graph.nodes.get(id)?.type === "webhook_respond");
  if (!answers) warn(trigger.id, `No step answers the requests to ${name}, so each gets an error.`);
}

function noteNode(world: ExplainWorld, node: WorkflowNode, warn: Note, inform: Note): void {
  const name = toCodeSpan(node.id);
  const operation = findNodeOperation(world, node);
  const fault =
    operation?.fault ?? (node.type === "channel" ? world.findChannel(node.channel)?.fault : null);
  if (fault) warn(node.id, `The step ${name} fails now. ${fault}.`);
  if (node.type === "operation" && operation === null) {
    const isChosen = parseToolId(node.tool_id) !== null;
    if (!isChosen) warn(node.id, `No row is chosen for the step ${name}.`);
    else inform(node.id, `You do not see the row of the step ${name}.`);
  }
  if (findEffects(node, operation).repeats === "repeatable" && "repeat" in node && node.repeat) {
    inform(node.id, `The step ${name} may take effect twice, because it has \`repeat\`.`);
  }
}

/** The steps with effects that a run can reach without passing an approval that was given. */
function findUnapproved(world: ExplainWorld, graph: Graph, entries: readonly string[]): string[] {
  const reached = new Set(entries.filter((entry) => graph.nodes.has(entry)));
  // The loop also visits what it adds to the set.
  for (const id of reached) {
    const isApproval = graph.nodes.get(id)?.type === "approval";
    for (const edge of graph.outgoing.get(id) ?? []) {
      if (!(isApproval && edge.case === "approved")) reached.add(edge.to);
    }
  }
  return [...reached].filter((id) => {
    const node = graph.nodes.get(id);
    if (node === undefined || node.type === "webhook_respond") return false;
    return findEffects(node, findNodeOperation(world, node)).changes;
  });
}
