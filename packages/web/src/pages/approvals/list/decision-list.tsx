import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { DataTable } from "../../../ui/tables/data-table.tsx";
import { MoreFailed } from "../../../ui/tables/more-failed.tsx";
import { TableSkeleton } from "../../../ui/tables/table-skeleton.tsx";
import { type ApprovalFilters, approvalStateNames } from "../approval-filters.ts";
import { toDecisionText } from "../decision-link.tsx";
import { useKeysOn } from "../keys/use-keys.ts";
import { decidedColumns, waitingColumns } from "./approval-columns.tsx";
import styles from "./approvals-page.module.css";
import { toListed } from "./listed-decision.ts";
import { useDecisions } from "./use-decisions.ts";

export const outcomes = ["approved", "denied", "expired", "cancelled"] as const;
type Outcome = (typeof outcomes)[number];

/** They stand for approvals of workflows and for calls. */
export const outcomeNames: Readonly<Record<Outcome, string>> = {
  ...approvalStateNames,
  cancelled: "Ended",
};

type Props = { filters: ApprovalFilters; isDecided: boolean };

/** Approvals of workflows and calls, in one order. */
export function DecisionList({ filters, isDecided }: Props) {
  const pages = useDecisions(filters, isDecided);
  const columns = isDecided ? decidedColumns : waitingColumns;
  return (
    <Loaded
      of={pages}
      what="The approvals"
      skeleton={<TableSkeleton columns={columns} lines={5} />}
    >
      {(all) => {
        const rows = all.filter((one) => {
          const waits = one.state === ("workflow_id" in one ? "pending" : "open");
          return isDecided !== waits;
        });
        if (rows.length === 0 && pages.onMore === undefined) {
          return <Nothing isDecided={isDecided} />;
        }
        return (
          <>
            <DataTable
              opensRows
              label="Approvals"
              rows={rows.map(toListed)}
              columns={columns}
              toKey={({ key }) => toDecisionText(key)}
              onMore={pages.onMore}
              isLoadingMore={pages.isFetching}
            />
            <MoreFailed of={pages.approvals} what="More approvals" />
            <MoreFailed of={pages.calls} what="More calls" />
            <KeysLine />
          </>
        );
      }}
    </Loaded>
  );
}

function KeysLine() {
  const [isOn] = useKeysOn();
  if (!isOn) return null;
  return (
    <p className={styles.keys}>
      <kbd>j</kbd> <kbd>k</kbd> move, <kbd>Enter</kbd> opens, <kbd>?</kbd> shows all keys.
    </p>
  );
}

function Nothing({ isDecided }: { isDecided: boolean }) {
  if (isDecided) {
    return (
      <EmptyState icon="check" title="Nothing was decided here">
        What was approved, denied, or expired is listed here, with who decided and why.
      </EmptyState>
    );
  }
  return (
    <EmptyState icon="check" title="Nothing waits for you">
      A workflow waits at an approval, and so does a call that a rule asks about, until an approver
      decides.
    </EmptyState>
  );
}
