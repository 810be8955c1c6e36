import { toCodeSpan } from "@hub/contract/code-spans.ts";
import type { ConditionOperator } from "@hub/contract/workflow-condition.ts";
import type { NodeOf, WorkflowNode } from "@hub/contract/workflow-node.ts";
import { operatorWords, unaryOperators } from "@hub/contract/workflow-operators.ts";
import { parseToolId } from "../../operations/tool-id.ts";
import { findEffects } from "../engine/node-effects.ts";
import { parsePlaceholder } from "../validation/placeholder.ts";
import type { ExplainedOperation, ExplainWorld } from "./explain-world.ts";
import { showData, showParams } from "./show-data.ts";
import { toCount, toDuration, toList } from "./words.ts";

/** The operation that a node calls, as far as the reader sees it. */
export function findNodeOperation(
  world: ExplainWorld,
  node: WorkflowNode,
): ExplainedOperation | null {
  if (node.type === "operation") return world.findOperation(node.tool_id);
  return node.type === "channel" ? world.findAction(node.channel, node.op) : null;
}

/** What a node does, and what happens if it fails. Where the run goes on is not in it. */
export function explainNode(world: ExplainWorld, node: WorkflowNode): string[] {
  return [
    ...explainWork(world, node),
    ...explainItems(node),
    ...explainTries(node, findNodeOperation(world, node)),
  ];
}

function explainWork(world: ExplainWorld, node: WorkflowNode): string[] {
  switch (node.type) {
    case "operation":
      return explainOperation(world, node);
    case "http":
      return explainHttp(node);
    case "branch":
      return explainBranch(node);
    case "switch":
      return explainSwitch(node);
    case "set":
      return [`It sets its output to ${showData(node.value, 300)}.`];
    case "code":
      return [
        `It runs ${toCount(node.source.split("\n").length, "line")} of JavaScript for at most ${node.timeout_ms} ms, without access to the network: ${toCodeSpan(node.source, 300)}`,
      ];
    case "wait":
      return [explainWait(node)];
    case "approval":
      return explainApproval(node);
    case "workflow":
      return explainSubworkflow(world, node);
    case "channel":
      return explainChannel(world, node);
    case "webhook_respond":
      return explainAnswer(node);
    case "fail":
      return [
        `It fails the run with the message ${showData(node.message, 300)}${node.severity === undefined ? "" : ` and the severity ${node.severity}`}.`,
      ];
  }
}

function explainOperation(world: ExplainWorld, node: NodeOf<"operation">): string[] {
  const params = showParams(node.params);
  const given = params === null ? "It passes no params." : `It passes ${params}.`;
  return [explainCall(world, node), given];
}

function explainCall(world: ExplainWorld, { tool_id: toolId }: NodeOf<"operation">): string {
  const operation = world.findOperation(toolId);
  if (operation !== null) {
    const { operationName, rowLabel, connectorName } = operation;
    return `It calls ${toCodeSpan(operationName)} of the row ${toCodeSpan(rowLabel)} (${toCodeSpan(connectorName)}), which ${toEffect(operation)}.`;
  }
  const open = parsePlaceholder(toolId);
  if (open !== null) {
    return `It calls ${toCodeSpan(open.operationKey)} of a row of the connector ${toCodeSpan(open.connectorKey)}, which is not chosen yet.`;
  }
  const address = parseToolId(toolId);
  if (address === null) return `It calls ${toCodeSpan(toolId)}, which is no operation.`;
  return `It calls ${toCodeSpan(address.operationKey)} of the row ${toCodeSpan(address.rowId)}, of which you see no more. It may change something.`;
}

function toEffect({ destructive }: ExplainedOperation): string {
  return destructive ? "changes something there (marked destructive)" : "only reads";
}

function explainHttp(node: NodeOf<"http">): string[] {
  const { method, url, headers, query, body, body_base64: base64 } = node;
  const { changes } = findEffects(node);
  const names = Object.keys(headers).map((name) => toCodeSpan(name, 80));
  const params = showParams(query);
  return [
    `It sends a ${method} request to ${toCodeSpan(url, 300)}${changes ? ", which may change something there" : ""}.`,
    ...(params === null ? [] : [`The query has ${params}.`]),
    ...(names.length === 0
      ? []
      : [`It sets the ${names.length === 1 ? "header" : "headers"} ${toList(names)}.`]),
    ...(body === undefined ? [] : [`The body is ${showData(body, 300)}.`]),
    ...(base64 === undefined
      ? []
      : [`The body is the bytes of ${showData(base64, 300)}, which is base64.`]),
  ];
}

function explainCondition(op: ConditionOperator, right: unknown): string {
  return unaryOperators.has(op) || right === undefined
    ? operatorWords[op]
    : `${operatorWords[op]} ${showData(right)}`;
}

const conditionsMax = 20;

function explainBranch({ conditions, match }: NodeOf<"branch">): string[] {
  const texts = conditions.map(
    ({ left, op, right }) => `${showData(left)} ${explainCondition(op, right)}`,
  );
  const word = match === "all" ? "and" : "or";
  return [`It checks whether ${toList(texts, word, conditionsMax)}.`];
}

function explainSwitch({ value, cases }: NodeOf<"switch">): string[] {
  const texts = cases.map(
    ({ case: name, op, right }) => `${toCodeSpan(name)} if it ${explainCondition(op, right)}`,
  );
  return [
    `It compares ${showData(value)} and takes the first case that holds: ${toList(texts, "or", conditionsMax)}. Otherwise it takes ${toCodeSpan("default")}.`,
  ];
}

function explainWait({ seconds, until }: NodeOf<"wait">): string {
  if (typeof seconds === "number") return `It waits for ${toDuration(seconds)}.`;
  if (seconds !== undefined) return `It waits for ${toCodeSpan(seconds)} seconds.`;
  return `It waits until ${until === undefined ? "a time that is not set" : toCodeSpan(until)}.`;
}

function explainApproval(node: NodeOf<"approval">): string[] {
  const { title, details, approvers, expires_s: expiresS, self } = node;
  const tags = approvers.tags.map((tag) => toCodeSpan(tag));
  const people = [
    ...(tags.length === 0 ? [] : [`users with the tag ${toList(tags, "or")}`]),
    ...approvers.users.map((user) => toCodeSpan(user)),
  ];
  return [
    `It asks ${people.length === 0 ? "no approvers" : toList(people, "or")} to decide: ${toCodeSpan(title, 300)}`,
    ...(details === "" ? [] : [`They also see ${toCodeSpan(details, 300)}.`]),
    self
      ? "An approver who started the run or edited the workflow last may decide too."
      : "Who started the run or edited the workflow last may not decide.",
    `Without a decision it expires after ${toDuration(expiresS)}.`,
  ];
}

function explainSubworkflow(world: ExplainWorld, node: NodeOf<"workflow">): string[] {
  const name = world.findWorkflowName(node.workflow_id);
  const id = toCodeSpan(node.workflow_id);
  const shown = name === null ? id : `${toCodeSpan(name)} (${id})`;
  return [
    node.wait
      ? `It runs the workflow ${shown} as its own owner and waits for its end. Its last output is the output.`
      : `It starts the workflow ${shown} as its own owner, and goes on without waiting for it.`,
    ...(node.payload === undefined ? [] : [`The payload is ${showData(node.payload, 300)}.`]),
  ];
}

function explainChannel(world: ExplainWorld, { channel, op, args }: NodeOf<"channel">): string[] {
  const known = world.findChannel(channel);
  const place =
    known === null ? toCodeSpan(channel) : `${toCodeSpan(known.label)} (${toCodeSpan(channel)})`;
  const given = showParams(args);
  return [
    `It sends ${toCodeSpan(op)} to the channel ${place}, which people there see.`,
    ...(given === null ? [] : [`It passes ${given}.`]),
  ];
}

function explainAnswer(node: NodeOf<"webhook_respond">): string[] {
  const { respond_status: status, respond_body: body, respond_headers: headers } = node;
  const names = Object.keys(headers).map((name) => toCodeSpan(name, 80));
  return [
    `It answers the request that started the run with the status ${typeof status === "number" ? status : toCodeSpan(status)} and ${body === "" ? "an empty body" : `the body ${toCodeSpan(body, 300)}`}.`,
    ...(names.length === 0
      ? []
      : [`It sets the ${names.length === 1 ? "header" : "headers"} ${toList(names)}.`]),
  ];
}

function explainItems(node: WorkflowNode): string[] {
  if (!("for_each" in node) || node.for_each === undefined) return [];
  const together =
    node.items_at_once === 1
      ? "one after the other"
      : `up to ${node.items_at_once} at the same time`;
  return [`It does this once for each item of ${toCodeSpan(node.for_each)}, ${together}.`];
}

function explainTries(node: WorkflowNode, operation: ExplainedOperation | null): string[] {
  const { retry, timeout_s: timeoutS, on_error: onError } = node;
  const { repeats } = findEffects(node, operation);
  const attempts = retry?.attempts ?? 1;
  const sentences: string[] = [];
  if (timeoutS !== undefined) {
    const each = attempts > 1 ? "Each try" : "It";
    sentences.push(`${each} may take at most ${toDuration(timeoutS)}.`);
  }
  if (retry !== undefined && attempts > 1) {
    const pause = retry.backoff_s === 0 ? "" : ` after ${toDuration(retry.backoff_s)}`;
    const longer = pause === "" || attempts === 2 ? "" : ", and then after twice as long each time";
    sentences.push(
      `After a failure that can pass by itself, it is tried again${pause}${longer}: at most ${attempts} tries.`,
    );
    if (repeats === "once") {
      sentences.push(
        "If it may already have taken effect, it is not repeated: the run then waits for a person.",
      );
    }
  }
  if (onError === "continue") {
    sentences.push("If it fails, the run goes on, with the error as its output.");
  }
  return sentences;
}
