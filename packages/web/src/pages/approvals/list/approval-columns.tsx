import { StateBadge } from "../../../ui/badges/state-badge.tsx";
import type { Column } from "../../../ui/tables/data-table.tsx";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import { DecisionLink } from "../decision-link.tsx";
import { ActsOn, FirstValues } from "./approval-cells.tsx";
import type { ListedDecision } from "./listed-decision.ts";

const title: Column<ListedDecision> = {
  key: "title",
  header: "Question",
  width: "minmax(7rem, 2.4fr)",
  render: ({ key, title: text }) => (
    <DecisionLink of={key} title={text}>
      <bdi>{text}</bdi>
    </DecisionLink>
  ),
};
const values: Column<ListedDecision> = {
  key: "values",
  header: "Values",
  width: "minmax(6rem, 2.2fr)",
  render: (decision) => <FirstValues of={decision} />,
};
const subject: Column<ListedDecision> = {
  key: "subject",
  header: "Acts on",
  width: "minmax(6.5rem, 2.4fr)",
  render: (decision) => <ActsOn of={decision} />,
};
const source: Column<ListedDecision> = {
  key: "source",
  header: "Made by",
  width: "minmax(6rem, 1.1fr)",
  isLargeOnly: true,
  render: ({ source: name }) => <bdi>{name}</bdi>,
};

export const waitingColumns: ReadonlyArray<Column<ListedDecision>> = [
  title,
  values,
  subject,
  source,
  {
    key: "age",
    header: "Asked",
    width: "6.5rem",
    isNamed: true,
    render: ({ asked: at }) => <TimeAt at={at} isRelative />,
  },
  {
    key: "refusal",
    header: "You",
    width: "minmax(5.5rem, 0.8fr)",
    isLargeOnly: true,
    render: ({ mayDecide, refusal }) =>
      mayDecide ? "May decide" : <span title={refusal ?? ""}>{refusal ?? "May not decide"}</span>,
  },
  {
    key: "expires",
    header: "Expires",
    width: "6rem",
    align: "end",
    render: ({ expires: at }) => <TimeAt at={at} isRelative />,
  },
];

export const decidedColumns: ReadonlyArray<Column<ListedDecision>> = [
  title,
  values,
  subject,
  source,
  {
    key: "state",
    header: "Outcome",
    width: "6rem",
    render: ({ state: { tone, text } }) => <StateBadge tone={tone} text={text} />,
  },
  {
    key: "by",
    header: "By",
    width: "minmax(5rem, 1.4fr)",
    isWideOnly: true,
    render: ({ decided: { by, comment } }) => (
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
    render: ({ decided: { at } }) => (at === null ? "–" : <TimeAt at={at} />),
  },
];
