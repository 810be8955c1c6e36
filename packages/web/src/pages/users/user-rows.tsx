import type { Row } from "@hub/contract/row.ts";
import type { User } from "@hub/contract/user.ts";
import { useAll } from "../../api/use-api.ts";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { formatNumber } from "../../ui/text/format.ts";
import { RowTable } from "../tags/row-table.tsx";

/** The rows that the user sees, as the hub decides it. */
export function UserRows({ user }: { user: User }) {
  const rows = useAll("GET /admin/api/users/{user}/rows", { params: { user: user.id } });
  return (
    <Card title="What this user sees">
      <Loaded of={rows} what="The rows" skeleton={<PageSkeleton lines={3} />}>
        {(pages) => <SeenRows user={user} rows={pages.flatMap((page) => page.rows)} />}
      </Loaded>
    </Card>
  );
}

function SeenRows({ user, rows }: { user: User; rows: readonly Row[] }) {
  if (rows.length === 0) return <p>No row has one of their tags, so they see nothing yet.</p>;
  const count = rows.length === 1 ? "1 row" : `${formatNumber(rows.length)} rows`;
  const why = user.role === "admin" ? "every row, as an admin" : "by their tags";
  return (
    <>
      <p>{user.status === "active" ? `${count}, ${why}.` : `${count}, ${why}, once enabled.`}</p>
      <RowTable rows={rows} />
    </>
  );
}
