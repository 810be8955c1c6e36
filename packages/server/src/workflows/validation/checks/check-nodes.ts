import type { WorkflowBody } from "@hub/contract/workflow-body.ts";
import type { NodeOf, WorkflowNode } from "@hub/contract/workflow-node.ts";
import { emailSchema } from "../../../lib/input/check-input.ts";
import { parseToolId, toToolId } from "../../../operations/catalogue/tool-id.ts";
import { type Placeholder, parsePlaceholder } from "../parse-placeholder.ts";
import { type Path, type ProblemList, quote, toWarnings } from "../problem-list.ts";
import type { Pace } from "../validation-pace.ts";
import type { ValidationWorld } from "../validation-world.ts";
import { checkChannelNode } from "./check-channel.ts";
import { checkSwitch, checkUseless } from "./check-common-fields.ts";
import { checkCases, checkCondition } from "./check-conditions.ts";
import { checkAnswer, checkRequestHeaders } from "./check-node-headers.ts";
import { checkNodeParams } from "./check-node-params.ts";

type NodeCheck = {
  problems: ProblemList;
  body: WorkflowBody;
  world: ValidationWorld;
  pace: Pace;
};

/** Checks the fields of each node that the schema cannot check alone. */
export async function checkNodes(check: NodeCheck): Promise<void> {
  for (const [at, node] of check.body.nodes.entries()) {
    await check.pace();
    const path = ["nodes", at];
    checkSwitch(check.problems, path, node);
    // What it would call is only checked when it is switched on.
    const problems = node.disabled ? toWarnings(check.problems) : check.problems;
    checkUseless(problems, path, node);
    await checkNode({ ...check, problems }, path, node);
  }
}

async function checkNode(check: NodeCheck, path: Path, node: WorkflowNode): Promise<void> {
  const { problems } = check;
  switch (node.type) {
    case "operation":
      return await checkOperation(check, path, node);
    case "http":
      return checkHttp(check, path, node);
    case "branch":
      for (const [at, condition] of node.conditions.entries()) {
        await check.pace();
        checkCondition(problems, [...path, "conditions", at], condition);
      }
      return;
    case "switch":
      return await checkCases(check, path, node);
    case "wait":
      if ((node.seconds === undefined) === (node.until === undefined)) {
        const message = "A wait node has either seconds or until.";
        problems.error(path, message, "Set one of them.");
      }
      return;
    case "code":
      return await checkCode(check, path, node);
    case "approval":
      return await checkApprovers(check, path, node);
    case "workflow":
      return await checkWorkflow(check, path, node);
    case "channel":
      return checkChannelNode(check, path, node);
    case "webhook_respond":
      return checkAnswer(problems, path, node);
    default:
      return;
  }
}

async function checkOperation(
  check: NodeCheck,
  path: Path,
  node: NodeOf<"operation">,
): Promise<void> {
  const { problems, world } = check;
  const at = [...path, "tool_id"];
  const placeholder = parsePlaceholder(node.tool_id);
  if (placeholder !== null) return checkPlaceholder(check, at, placeholder);
  if (parseToolId(node.tool_id) === null) {
    const message = "The tool id is not the id of an operation.";
    problems.error(at, message, "It has the form conn:ROW-ID/OPERATION. A search lists tool ids.");
    return;
  }
  const operation = await world.findOperation?.(node.tool_id);
  if (operation === undefined) return;
  if (operation === null) {
    const message = "The owner of the workflow has no such operation.";
    const hint = "Search for the operation again, or ask for access to its row.";
    if (world.purpose === "publish") problems.error(at, message, hint);
    else problems.warn(at, message, hint);
    return;
  }
  if (operation.workflowId !== undefined) {
    const message = "A node cannot call the tool of a workflow.";
    problems.error(at, message, `Use a node of type workflow: ${operation.workflowId}.`);
    return;
  }
  if (operation.disabled !== null) {
    const message = `An admin has disabled the ${operation.disabled} of this node, so it fails.`;
    problems.warn(at, message, "Ask an admin to enable it, or use another operation.");
  }
  if (operation.missing.length > 0) {
    const message = `The row of this node is not set up, so it fails. It lacks ${operation.missing.slice(0, 10).join(", ")}.`;
    problems.warn(at, message, "Ask an admin to set up the row.");
  }
  checkNodeParams(check, [...path, "params"], node.params, operation);
}

/** Says which operation must be chosen, and from which rows. */
function checkPlaceholder(
  { problems, world }: NodeCheck,
  path: Path,
  { connectorKey, operationKey, rowName }: Placeholder,
): void {
  const purpose = rowName === connectorKey ? "" : ` as "${rowName}"`;
  const message = `No row is chosen${purpose}: the node needs the operation ${operationKey} of a row of the connector ${connectorKey}.`;
  const hint = () => {
    const rows = world.listRows?.(connectorKey, operationKey) ?? [];
    const ids = rows.map(({ id, label }) => `${toToolId(id, operationKey)} of ${quote(label)}`);
    if (ids.length > 0) return `Write the tool id of one, such as ${ids.join(", ")}.`;
    return "The owner sees no such row. Add one, or ask for access to one, and write its tool id.";
  };
  if (world.purpose === "publish") problems.error(path, message, hint);
  else problems.warn(path, message, hint);
}

const uncheckedHints = {
  busy: "Too many other checks of the same owner wait. Check it again when they have ended.",
  late: "The scripts of a workflow are checked for 10 seconds. Make them shorter, or check again later. Its errors show when it runs.",
  large: "It takes too long, or too much memory, to read. Make it shorter.",
  failed: "Its errors show when it runs. An admin finds the reason in the hub's log.",
} as const;

async function checkCode(
  { problems, world }: NodeCheck,
  path: Path,
  { source }: NodeOf<"code">,
): Promise<void> {
  const at = [...path, "source"];
  if (/\{\{[^}]*\.(?:Secret|Node|Event|Env|Item)\b/.test(source)) {
    const message = "The script contains a template, and scripts are not rendered.";
    const hint =
      "Read event, node, env and item as values. Secrets never reach a script: write them into the fields of the node that sends them.";
    problems.error(at, message, hint);
    return;
  }
  const found = await world.checkSource?.(source);
  if (!found) return;
  if (found.kind === "unknown") {
    const message = "The script could not be checked.";
    // It can be checked soon, so it is not published unchecked.
    if (found.reason === "busy" && world.purpose === "publish") {
      problems.error(at, message, uncheckedHints.busy);
    } else problems.warn(at, message, uncheckedHints[found.reason]);
    return;
  }
  const line = found.line === null ? "" : ` on line ${found.line}`;
  const hint = "A script is the body of an async function in strict mode, and returns its output.";
  problems.error(at, `The script has an error${line}: ${found.message}.`, hint);
}

function checkHttp({ problems, world }: NodeCheck, path: Path, node: NodeOf<"http">): void {
  if (world.owner?.isAdmin === false && world.areHttpNodesForUsers !== true) {
    const message = "Only workflows of admins may have http nodes on this hub.";
    problems.error([...path, "type"], message, "Use an operation of a row.");
  }
  if (!/^(?:https?:\/\/|\{\{)/i.test(node.url)) {
    const message = "The address does not begin with http:// or https://.";
    problems.error([...path, "url"], message, "Write the whole address.");
  }
  for (const field of ["body", "body_base64"] as const) {
    if (node[field] === undefined || (node.method !== "GET" && node.method !== "HEAD")) continue;
    const message = `A ${node.method} request has no body.`;
    problems.error([...path, field], message, "Remove the body, or choose another method.");
  }
  if (node.body !== undefined && node.body_base64 !== undefined) {
    const message = "An http node has either body or body_base64.";
    problems.error([...path, "body_base64"], message, "Remove one of them.");
  }
  checkRequestHeaders(problems, path, node);
}

async function checkApprovers(
  { problems, world }: NodeCheck,
  path: Path,
  { approvers }: NodeOf<"approval">,
): Promise<void> {
  const at = [...path, "approvers"];
  if (approvers.tags.length + approvers.users.length === 0) {
    problems.error(at, "The approval has no approvers.", "Name a tag or a user.");
    return;
  }
  for (const [index, user] of approvers.users.entries()) {
    if (emailSchema.safeParse(user).success) continue;
    const message = `${quote(user)} is no e-mail address, so it names no approver.`;
    problems.warn([...at, "users", index], message, "Name users by e-mail, not by id or name.");
  }
  if ((await world.hasApprover?.(approvers)) === false) {
    const message = "No active user can decide this approval now.";
    problems.warn(at, message, "Check the tags and e-mails. Tags and users can be added later.");
  }
}

async function checkWorkflow(
  check: NodeCheck,
  path: Path,
  node: NodeOf<"workflow">,
): Promise<void> {
  const { problems, world } = check;
  const at = [...path, "workflow_id"];
  if (node.workflow_id === world.workflowId) {
    problems.error(at, "A workflow cannot run itself.", "A node with for_each repeats work.");
    return;
  }
  const found = await world.findWorkflow?.(node.workflow_id, "run");
  if (found === undefined) return;
  if (found === null) {
    const message = `There is no workflow "${node.workflow_id}" that the owner may run.`;
    const hint = "Use the id of another workflow, or ask for one of its tags.";
    if (world.purpose === "publish") problems.error(at, message, hint);
    else problems.warn(at, message, hint);
  } else if (!found.isPublished) {
    const message = `The workflow "${node.workflow_id}" was never published, so the node fails.`;
    problems.warn(at, message, "Publish it first.");
  } else if (!found.isEnabled) {
    const message = `The workflow "${node.workflow_id}" is disabled, so the node fails.`;
    problems.warn(at, message, "Enable it first.");
  }
}
