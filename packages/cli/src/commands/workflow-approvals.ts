import { describeActsOn, describeCalled } from "@hub/contract/describe-approval.ts";
import { escapeInvisible } from "@hub/contract/invisible-characters.ts";
import type {
  WorkflowApproval,
  WorkflowApprovalDetail,
  WorkflowWillRun,
} from "@hub/contract/workflow-approval.ts";
import { workflowApprovalStateSchema } from "@hub/contract/workflow-approval.ts";
import { answeringCommand, command } from "../declare/command.ts";
import { argument, choice, option } from "../declare/parameters.ts";
import { detail, table } from "../declare/view.ts";
import { readAllPages } from "../look-ups/read-all-pages.ts";
import { toPrintable } from "../text/table.ts";

const loadList = () => import("@hub/server/workflows/approvals/list-approvals.ts");

export const workflowApprovals = [
  answeringCommand(
    "approvals",
    "list the approvals that runs wait for, newest first, or show one",
    {
      takes: {
        approval: argument("[approval]", "id of an approval, to show it with what will run"),
        state: choice(
          "<state>",
          "only approvals in this state",
          workflowApprovalStateSchema.options,
          "pending",
        ),
      },
      async answers({ services, author: { caller }, lookups }, { approval, state }) {
        const { listApprovals, showApproval } = await loadList();
        if (approval !== undefined) {
          const id = await lookups.findApprovalId(approval);
          const shown = await showApproval(services, caller, id);
          return { json: shown, text: toApprovalText(shown) };
        }
        const approvals = await readAllPages((page) =>
          listApprovals(services, caller, { ...page, state }),
        );
        return { json: approvals, text: toApprovalTable(approvals) };
      },
    },
  ),
  defineDecision("approve", "approved"),
  defineDecision("deny", "denied"),
];

function defineDecision(verb: string, decision: "approved" | "denied") {
  return command(verb, `${verb} what a run asks; it is recorded as the local admin`, {
    takes: {
      id: argument("<approval>", "id, or its first characters", ({ findApprovalId }, typed) =>
        findApprovalId(typed),
      ),
      comment: option("<text>", "a comment that the run can read"),
    },
    async does({ services, author }, given) {
      const { decideApproval } = await import("@hub/server/workflows/approvals/decide-approval.ts");
      const { hash } = await (await loadList()).showApproval(services, author.caller, given.id);
      return await decideApproval(services, author.actor, { ...given, hash, decision });
    },
    shows: toApprovalText,
  });
}

const toApprovalTable = table<WorkflowApproval>(
  [
    ["asked", "created_at"],
    "state",
    ["workflow", "workflow_name"],
    "title",
    ["acts on", ({ subject }) => describeActsOn(subject)],
    ["expires", "expires_at"],
    "id",
  ],
  "There are no such approvals.",
);

const toFacts = detail<WorkflowApprovalDetail>([
  ["approval", "id"],
  "title",
  ["acts on", ({ subject }) => describeActsOn(subject)],
  "state",
  ["workflow", ({ workflow_name: name, workflow_id: id }) => `${name} (${id})`],
  ["run", "run_id"],
  ["approvers", ({ approvers: { tags, users } }) => [...tags.map((tag) => `tag ${tag}`), ...users]],
  ["started by", "started_by"],
  ["edited by", "edited_by"],
  ["expires", "expires_at"],
  ["decided by", "decided_by"],
  "comment",
]);

function toApprovalText(approval: WorkflowApprovalDetail): string {
  const details = approval.details === "" ? [] : [toPrintableLines(approval.details)];
  const more =
    approval.will_run_more === 0 ? [] : [`There are ${approval.will_run_more} more such nodes.`];
  const willRun =
    approval.will_run.length === 0
      ? ["Nothing that follows on approved changes anything."]
      : ["On approved, this runs:", ...approval.will_run.map(toWillRunText), ...more];
  const values = approval.values.map(
    ({ label, value, is_cut: isCut }) =>
      `  ${toPrintable(label)}: ${toPrintable(value)}${isCut ? " (cut)" : ""}`,
  );
  const decides = values.length === 0 ? [] : [["These values decide:", ...values].join("\n")];
  return [toFacts(approval), ...decides, ...details, willRun.join("\n")].join("\n\n");
}

function toWillRunText({ node_id, type, target, ...node }: WorkflowWillRun): string {
  const notes = [
    ...(node.is_rendered ? [] : ["as templates, not compared"]),
    ...(node.depends_on.length > 0 ? [`depends on ${node.depends_on.join(", ")}`] : []),
    ...(node.uses_time ? ["reads the time"] : []),
    ...(node.items === null ? [] : [`${node.items.count} times`]),
    ...(node.is_cut ? ["cut"] : []),
    ...(node.problem === null ? [] : [node.problem]),
  ];
  const called = describeCalled(node) ?? node.target_name;
  const named = called === null ? "" : `, ${called}`;
  const title = `${node_id}: ${type} ${target}${named}${notes.length === 0 ? "" : ` (${notes.join("; ")})`}`;
  const fields = [node.fields, ...(node.items?.shown ?? [])].map(
    (value) => `  ${toPrintable(escapeInvisible(JSON.stringify(value)))}`,
  );
  return [toPrintable(title), ...fields].join("\n");
}

function toPrintableLines(text: string): string {
  return text.split(/\r?\n/).map(toPrintable).join("\n");
}
