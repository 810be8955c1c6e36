import { describeActsOn, describeCalled } from "@hub/contract/describe-approval.ts";
import { escapeInvisible } from "@hub/contract/invisible-characters.ts";
import type { WorkflowApprovalDetail, WorkflowWillRun } from "@hub/contract/workflow-approval.ts";
import type { ApprovalCard, CardPart } from "../chat-adapter.ts";
import { cut, toLine, toLines, toValueLines } from "./card-texts.ts";

/** So that the longest card fits into one message of each platform. */
const titleBytesMax = 130;
const factBytesMax = 150;
const valuesBytesMax = 900;
const detailsBytesMax = 1_000;
const nodesMax = 10;
const fieldsBytesMax = 300;
const willRunBytesMax = 1_600;
/** Values, details and what will run together. A card that says how it ended has less space for them. */
const openBytesMax = 2_600;
const endedBytesMax = 2_100;
/** What remains for details beside many values, since what will run must show, too. */
const willRunBytesMin = 700;

/** What a chat shows of an approval. Its texts have no secrets, as the approval has none. */
export function toCard(
  id: string,
  approval: WorkflowApprovalDetail,
  baseUrl: string | null,
): ApprovalCard {
  const title = cut(toLine(approval.title), titleBytesMax);
  const outcome = describeOutcome(approval);
  const values = toValueLines(approval.values, valuesBytesMax);
  let bytesLeft =
    (outcome === null ? openBytesMax : endedBytesMax) - Buffer.byteLength(values.text);
  const detailsMax = Math.min(detailsBytesMax, bytesLeft - willRunBytesMin);
  const details = cut(toLines(approval.details), detailsMax);
  bytesLeft -= Buffer.byteLength(details.text);
  const nodes = approval.will_run.slice(0, nodesMax).map(describeNode);
  const more = approval.will_run.length - nodes.length + approval.will_run_more;
  const willRun = cut(
    [
      ...nodes.map(({ text }) => text),
      ...(more > 0 ? [`${more} more`] : []),
      ...(nodes.length === 0 ? ["Nothing that changes other systems."] : []),
    ].join("\n"),
    Math.min(willRunBytesMax, bytesLeft),
  );
  const isCut =
    more > 0 ||
    [title, values, details, willRun].some(({ isCut }) => isCut) ||
    nodes.some(({ isCut }) => isCut);
  const comment = cut(toLines(approval.comment ?? ""), factBytesMax).text;
  const facts = [
    ["Acts on", describeActsOn(approval.subject) ?? ""],
    ["Workflow", approval.workflow_name],
    ["Started by", approval.started_by],
    ["Edited by", approval.edited_by.join(", ")],
    ["Expires at", approval.expires_at],
  ] as const;
  const parts: CardPart[] = [
    { kind: "facts", facts: facts.flatMap(toFact) },
    ...toQuote("Values", values.text),
    ...toQuote("Details", details.text),
    ...toQuote("What will run", willRun.text),
    ...toNote(isCut ? "This is a part. Read all of it in the hub before you decide." : null),
    ...toNote(outcome),
    ...toQuote("Comment", comment),
  ];
  return {
    id,
    heading: `Approval: ${title.text}`,
    parts,
    isOpen: outcome === null,
    summary: outcome === null ? `Approval: ${title.text}` : `${outcome} Approval: ${title.text}`,
    url: baseUrl === null ? null : `${baseUrl}/approvals/${approval.id}`,
  };
}

function toFact([name, value]: readonly [string, string]): (readonly [string, string])[] {
  const line = cut(toLine(value), factBytesMax).text;
  return line === "" ? [] : [[name, line]];
}

function toQuote(name: string, text: string): CardPart[] {
  return text === "" ? [] : [{ kind: "quote", name, text }];
}

function toNote(text: string | null): CardPart[] {
  return text === null ? [] : [{ kind: "note", text }];
}

function describeOutcome({ state, ...approval }: WorkflowApprovalDetail): string | null {
  const by = `by ${toLine(approval.decided_by ?? "")} at ${approval.decided_at}`;
  switch (state) {
    case "pending":
      return null;
    case "approved":
      return `Approved ${by}.`;
    case "denied":
      return `Denied ${by}.`;
    case "expired":
      return `Expired at ${approval.expires_at}. No approver decided in time.`;
    case "cancelled":
      return "The run has ended. There is nothing to decide any more.";
  }
}

/** One line. What the node calls comes first, and what others wrote is JSON, so that its end is seen. */
function describeNode(node: WorkflowWillRun): { text: string; isCut: boolean } {
  const called = findCalled(node);
  const target = called === null ? node.target : toJson(toLine(called));
  const subject = toLine(target === "" ? node.type : `${node.type} ${target}`);
  const times = node.items === null ? "" : `, ${node.items.count} times`;
  const name = node.label === null ? node.node_id : toJson(toLine(node.label));
  const fields = cut(toJson(node.items?.shown ?? node.fields), fieldsBytesMax);
  const unknown = node.is_rendered
    ? ""
    : node.depends_on.length > 0
      ? ` Not known yet, it depends on: ${node.depends_on.join(", ")}.`
      : " Not known yet.";
  const problem = node.problem === null ? "" : ` ${toLine(node.problem)}`;
  return {
    text: `• ${subject}${times} (${name}): ${fields.text}${unknown}${problem}`,
    isCut: node.is_cut || fields.isCut,
  };
}

/** As others have named it. The method and the id of other nodes are the hub's words. */
function findCalled(node: WorkflowWillRun): string | null {
  if (node.type === "operation") return describeCalled(node);
  return node.type === "workflow" ? node.target_name : null;
}

/** Invisible characters of what will run are shown as escapes, because they are a part of it. */
const toJson = (value: unknown) => escapeInvisible(JSON.stringify(value));
