import type { WorkflowApprovalDetail, WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import { cutTextAtCharacter } from "../../lib/cut-json.ts";
import type { ApprovalCard } from "../chat-adapter.ts";

/** So that the longest card fits into one message of each platform. */
const titleBytesMax = 150;
const factBytesMax = 200;
const detailsBytesMax = 1_000;
const nodesMax = 10;
const fieldsBytesMax = 300;
const willRunBytesMax = 1_600;

/** What a chat shows of an approval. Its texts have no secrets, as the approval has none. */
export function toCard(id: string, approval: WorkflowApprovalDetail, baseUrl: string | null) {
  const title = cut(approval.title, titleBytesMax);
  const details = cut(approval.details, detailsBytesMax);
  const nodes = approval.will_run.slice(0, nodesMax).map(describeNode);
  const more = approval.will_run.length - nodes.length + approval.will_run_more;
  const willRun = cut(
    [
      ...nodes.map(({ text }) => text),
      ...(more > 0 ? [`${more} more`] : []),
      ...(nodes.length === 0 ? ["Nothing that changes other systems."] : []),
    ].join("\n"),
    willRunBytesMax,
  );
  const card: ApprovalCard = {
    ...{ id, title: title.text, details: details.text, willRun: willRun.text },
    facts: [
      ["Workflow", approval.workflow_name],
      ["Started by", approval.started_by],
      ["Edited by", approval.edited_by.join(", ")],
      ["Expires at", approval.expires_at],
    ].flatMap(([name = "", value = ""]) =>
      value === "" ? [] : [[name, cut(value, factBytesMax).text] as const],
    ),
    isCut:
      more > 0 ||
      [title, details, willRun].some(({ isCut }) => isCut) ||
      nodes.some(({ isCut }) => isCut),
    outcome: describeOutcome(approval),
    url: baseUrl === null ? null : `${baseUrl}/approvals/${approval.id}`,
  };
  return card;
}

function describeOutcome({ state, ...approval }: WorkflowApprovalDetail): string | null {
  const comment = approval.comment ? ` Comment: ${cut(approval.comment, factBytesMax).text}` : "";
  switch (state) {
    case "pending":
      return null;
    case "approved":
      return `Approved by ${approval.decided_by} at ${approval.decided_at}.${comment}`;
    case "denied":
      return `Denied by ${approval.decided_by} at ${approval.decided_at}.${comment}`;
    case "expired":
      return `Expired at ${approval.expires_at}. Nobody decided in time.`;
    case "cancelled":
      return "The run has ended. There is nothing to decide any more.";
  }
}

function describeNode(node: WorkflowWillRun): { text: string; isCut: boolean } {
  const target = node.target === "" ? node.type : `${node.type} ${node.target}`;
  const times = node.items === null ? "" : `, ${node.items.count} times`;
  const fields = cut(JSON.stringify(node.items?.shown ?? node.fields), fieldsBytesMax);
  const unknown = node.is_rendered
    ? ""
    : node.depends_on.length > 0
      ? ` Not known yet, it depends on: ${node.depends_on.join(", ")}.`
      : " Not known yet.";
  const problem = node.problem === null ? "" : ` ${node.problem}`;
  return {
    text: `• ${node.label ?? node.node_id} (${target}${times}): ${fields.text}${unknown}${problem}`,
    isCut: node.is_cut || fields.isCut,
  };
}

function cut(text: string, bytesMax: number): { text: string; isCut: boolean } {
  if (Buffer.byteLength(text) <= bytesMax) return { text, isCut: false };
  return { text: `${cutTextAtCharacter(text, bytesMax - 3)}…`, isCut: true };
}
