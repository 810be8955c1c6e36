import type { CallPermit } from "@hub/contract/pending-call.ts";
import { Button } from "@mantine/core";
import { useChange, usePages } from "../../api/use-api.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { TimeAt } from "../../ui/text/time-at.tsx";

const everyMs = 30_000;
const pageSize = 100;

const columns: ReadonlyArray<Column<CallPermit>> = [
  {
    key: "operation",
    header: "Operation",
    width: "minmax(8rem, 2fr)",
    render: ({ operation, row_label: row }) => (
      <span title={row ?? ""}>
        <bdi>{operation}</bdi> · <bdi>{row ?? "a row that you do not see"}</bdi>
      </span>
    ),
  },
  {
    key: "user",
    header: "For",
    width: "minmax(8rem, 2fr)",
    render: ({ user, made_by: madeBy }) => (
      <span title={madeBy}>
        <bdi>{user}</bdi> · <bdi>{madeBy}</bdi>
      </span>
    ),
  },
  {
    key: "fixed",
    header: "With the same",
    width: "minmax(6rem, 1fr)",
    isWideOnly: true,
    render: ({ fixed }) => <bdi>{fixed.length === 0 ? "–" : fixed.join(", ")}</bdi>,
  },
  {
    key: "by",
    header: "By",
    width: "minmax(6rem, 1fr)",
    isLargeOnly: true,
    render: ({ granted_by: by }) => <bdi>{by}</bdi>,
  },
  {
    key: "until",
    header: "Ends",
    width: "6.5rem",
    isNamed: true,
    render: ({ expires_at: at }) => <TimeAt at={at} isRelative />,
  },
  {
    key: "end",
    header: "End it",
    isHeaderHidden: true,
    width: "5.5rem",
    align: "end",
    render: (permit) => <EndButton permit={permit} />,
  },
];

/** The permissions for an hour that are in force: of the user's own calls, of one user, or for admins of all. */
export function PermitList({ user }: { user?: string }) {
  const pages = usePages(
    "GET /manager/api/permits",
    { query: { limit: pageSize, ...(user !== undefined && { user }) } },
    "after",
    { everyMs },
  );
  return (
    <Loaded
      of={pages}
      what="The permissions"
      skeleton={<TableSkeleton columns={columns} lines={3} />}
    >
      {(data) => {
        const rows = data.pages.flatMap((page) => page.permits);
        if (rows.length === 0) {
          return (
            <EmptyState icon="check" title="No calls are permitted for an hour">
              Where a rule allows it, an approver may approve further calls of an operation for an
              hour. They are listed here, and can be ended.
            </EmptyState>
          );
        }
        return (
          <>
            <DataTable
              label="Permissions for an hour"
              rows={rows}
              columns={columns}
              toKey={({ id }) => id}
              onMore={pages.onMore}
              isLoadingMore={pages.isFetching}
            />
            <MoreFailed of={pages} what="More permissions" />
          </>
        );
      }}
    </Loaded>
  );
}

function EndButton({ permit: { id, operation } }: { permit: CallPermit }) {
  const toast = useToast();
  const change = useChange("DELETE /manager/api/permits/{permit}", {
    refreshes: ["GET /manager/api/permits"],
    onDone: () => toast({ text: `${operation} is asked about again.` }),
    onFailed: ({ message }) => toast({ kind: "error", text: message }),
  });
  return (
    <Button
      size="compact-sm"
      variant="default"
      aria-label={`End the permission for ${operation}`}
      loading={change.isPending}
      onClick={() => change.run({ params: { permit: id } })}
    >
      End
    </Button>
  );
}
