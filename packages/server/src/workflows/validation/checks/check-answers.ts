import type { WorkflowBody } from "@hub/contract/workflow-body.ts";
import type { TriggerOf } from "@hub/contract/workflow-trigger.ts";
import { answerWaitMs } from "../../webhooks/answer/answer-wait.ts";
import type { Graph } from "../graph/body-graph.ts";
import { type Answers, findAnswers } from "../graph/find-answers.ts";
import { sortNodes } from "../graph/sort-nodes.ts";
import type { Path, ProblemList } from "../problem-list.ts";
import type { Pace } from "../validation-pace.ts";

type AnswersCheck = { problems: ProblemList; body: WorkflowBody; graph: Graph; pace: Pace };

const waitSeconds = answerWaitMs / 1000;

/**
 * Warns of answers to webhooks that are never sent or come too late, and of runs that give none. The graph must have
 * no cycle.
 */
export async function checkAnswers(check: AnswersCheck): Promise<void> {
  const { problems, body, graph, pace } = check;
  checkReceivers(check);
  const { order } = sortNodes(graph, 1);
  const late = new Set<string>();
  for (const [at, trigger] of body.triggers.entries()) {
    if (trigger.type !== "webhook" || trigger.respond_mode === "immediately") continue;
    await pace();
    if (!graph.nodes.has(trigger.entry)) continue;
    const path = ["triggers", at, "respond_mode"];
    const answers = findAnswers(graph, order, trigger.entry);
    if (trigger.respond_mode === "last_node") warnOfWait(problems, path, answers);
    else if (reachesAnswer(graph, trigger)) {
      warnOfOpenEnd(problems, path, answers);
      warnOfLateAnswer(check, late, answers);
    }
  }
}

/** Each answer to a webhook needs a trigger that waits for it. */
function checkReceivers({ problems, body, graph }: AnswersCheck): void {
  const hooks = body.triggers.filter((one) => one.type === "webhook");
  const waiting = hooks.filter(({ respond_mode: mode }) => mode === "respond_node");
  for (const [at, { id, type, disabled }] of body.nodes.entries()) {
    if (type !== "webhook_respond" || disabled) continue;
    const leads = ({ entry }: { entry: string }) => graph.reachableFrom(entry).has(id);
    const hook = hooks.find(leads);
    if (hook === undefined || waiting.some(leads)) continue;
    const message = `The answer of "${id}" is not sent: no trigger that leads to it has respond_mode: respond_node.`;
    const hint = `Set respond_mode of "${hook.id}" to respond_node, or remove the node.`;
    problems.warn(["nodes", at], message, hint);
  }
}

function reachesAnswer(graph: Graph, { entry }: TriggerOf<"webhook">): boolean {
  for (const id of graph.reachableFrom(entry)) {
    const node = graph.nodes.get(id);
    if (node?.type === "webhook_respond" && !node.disabled) return true;
  }
  return false;
}

function warnOfOpenEnd(problems: ProblemList, path: Path, { openEnd }: Answers): void {
  if (openEnd === null) return;
  const along = openEnd.case === null ? "" : ` along the case "${openEnd.case}"`;
  const message = `A run can end without an answer after "${openEnd.nodeId}"${along}.`;
  const hint = "Connect a webhook_respond node there. Without an answer, requests get 502.";
  problems.warn(path, message, hint);
}

function warnOfLateAnswer(
  { problems, body }: AnswersCheck,
  late: Set<string>,
  { latest }: Answers,
): void {
  const { seconds, nodeId, delayedBy } = latest;
  if (seconds < waitSeconds || nodeId === null || late.has(nodeId)) return;
  late.add(nodeId);
  const message = `"${nodeId}" answers after the wait of "${delayedBy}", and a request waits ${waitSeconds} seconds.`;
  const hint =
    "Answer before it, such as with the status 202. Or choose the respond_mode immediately.";
  const at = body.nodes.findIndex(({ id }) => id === nodeId);
  problems.warn(["nodes", at], message, hint);
}

function warnOfWait(problems: ProblemList, path: Path, { longest }: Answers): void {
  if (longest.seconds < waitSeconds) return;
  const message = `The run waits at "${longest.delayedBy}", and a request waits ${waitSeconds} seconds.`;
  const hint = "Choose immediately, or respond_node with a webhook_respond node before the wait.";
  problems.warn(path, message, hint);
}
