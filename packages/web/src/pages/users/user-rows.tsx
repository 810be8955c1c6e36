import type { User } from "@hub/contract/user.ts";
import { Button } from "@mantine/core";
import { usePages } from "../../api/use-api.ts";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { formatNumber } from "../../ui/text/format.ts";
import { RowTable, rowColumns } from "../tags/row-table.tsx";

const pageSize = 10;

/** The rows that the user sees, as the hub decides it. */
export function UserRows({ user }: { user: User }) {
  const pages = usePages(
    "GET /admin/api/users/{user}/rows",
    { params: { user: user.id }, query: { limit: pageSize } },
    "after",
  );
  return (
    <Card title="What this user sees">
      <Loaded
        of={pages}
        what="The rows"
        skeleton={<TableSkeleton columns={rowColumns} lines={3} />}
      >
        {(data) => {
          const total = data.pages[0]?.total ?? 0;
          if (total === 0) return <p>No row has one of their tags, so they see nothing yet.</p>;
          return (
            <>
              <RowTable rows={data.pages.flatMap(({ rows }) => rows)} />
              <p>{describeSeen(user, total)}</p>
              {pages.onMore !== undefined && (
                <Button
                  variant="default"
                  size="xs"
                  loading={pages.isFetchingNextPage}
                  onClick={pages.onMore}
                >
                  Show more rows
                </Button>
              )}
              <MoreFailed of={pages} what="More rows" />
            </>
          );
        }}
      </Loaded>
    </Card>
  );
}

function describeSeen({ role, status }: User, total: number): string {
  const count = total === 1 ? "1 row" : `${formatNumber(total)} rows`;
  const why = role === "admin" ? "every row, as an admin" : "by their tags";
  return status === "active" ? `${count}, ${why}.` : `${count}, ${why}, once enabled.`;
}
