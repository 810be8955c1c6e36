import type { WorkflowApproval } from "@hub/contract/workflow-approval.ts";
import { Link } from "@tanstack/react-router";
import type { Column } from "../../../ui/tables/data-table.tsx";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import { ApprovalState } from "../approval-state.tsx";
import { ActsOn, FirstValues } from "./approval-cells.tsx";

const title: Column<WorkflowApproval> = {
  key: "title",
  header: "Question",
  width: "minmax(8rem, 2.4fr)",
  render: ({ id, title: text }) => (
    <Link to="/approvals/$approval" params={{ approval: id }} title={text}>
      <bdi>{text}</bdi>
    </Link>
  ),
};
const values: Column<WorkflowApproval> = {
  key: "values",
  header: "Values",
  width: "minmax(7rem, 2.2fr)",
  render: (approval) => <FirstValues of={approval} />,
};
const subject: Column<WorkflowApproval> = {
  key: "subject",
  header: "Acts on",
  width: "minmax(6.5rem, 2.4fr)",
  render: (approval) => <ActsOn of={approval} />,
};
const workflow: Column<WorkflowApproval> = {
  key: "workflow",
  header: "Workflow",
  width: "minmax(6rem, 1.1fr)",
  isLargeOnly: true,
  render: ({ workflow_name: name }) => <bdi>{name}</bdi>,
};

export const waitingColumns: ReadonlyArray<Column<WorkflowApproval>> = [
  title,
  values,
  subject,
  workflow,
  {
    key: "age",
    header: "Asked",
    width: "6.5rem",
    isNamed: true,
    render: ({ created_at: at }) => <TimeAt at={at} isRelative />,
  },
  {
    key: "refusal",
    header: "You",
    width: "minmax(5.5rem, 0.8fr)",
    isLargeOnly: true,
    render: ({ may_decide: mayDecide, refusal }) =>
      mayDecide ? "May decide" : <span title={refusal ?? ""}>{refusal ?? "May not decide"}</span>,
  },
  {
    key: "expires",
    header: "Expires",
    width: "6rem",
    align: "end",
    render: ({ expires_at: at }) => <TimeAt at={at} isRelative />,
  },
];

export const decidedColumns: ReadonlyArray<Column<WorkflowApproval>> = [
  title,
  values,
  subject,
  workflow,
  {
    key: "state",
    header: "Outcome",
    width: "6rem",
    render: ({ state }) => <ApprovalState state={state} />,
  },
  {
    key: "by",
    header: "By",
    width: "minmax(6rem, 1.4fr)",
    isWideOnly: true,
    render: ({ decided_by: by, comment }) => (
      <span title={comment ?? ""}>
        <bdi>{by ?? "–"}</bdi>
      </span>
    ),
  },
  {
    key: "at",
    header: "When",
    width: "8.5rem",
    align: "end",
    render: ({ decided_at: at, expires_at: expired }) => <TimeAt at={at ?? expired} />,
  },
];
