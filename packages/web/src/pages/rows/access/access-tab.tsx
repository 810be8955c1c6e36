import type { RowAccess } from "@hub/contract/row-access.ts";
import { isRowTag } from "@hub/contract/row-tag.ts";
import type { User } from "@hub/contract/user.ts";
import { Alert, Button } from "@mantine/core";
import { useState } from "react";
import { useApi, usePages } from "../../../api/use-api.ts";
import { Badge } from "../../../ui/badges/badge.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";
import { useMadeFrom } from "../use-made-from.ts";
import own from "./access.module.css";
import { toChoices } from "./access-change.ts";
import { AccessDialog } from "./access-dialog.tsx";
import { AccountsCard } from "./accounts-card.tsx";
import { listViewers } from "./list-viewers.ts";
import { TestsCard } from "./tests-card.tsx";

const shownMax = 200;

/** The people and tags of a row, and by name who sees it with them. */
export function AccessTab({ row }: { row: ShownRow }) {
  const users = usePages("GET /admin/api/users", { query: { limit: 100 } }, "after");
  const access = useApi("GET /manager/api/rows/{row}/access", { params: { row: row.id } });
  const [isOpen, setOpen] = useState(false);
  const madeFrom = useMadeFrom(row.connector);
  const known = users.data?.pages.flatMap((page) => page.users) ?? [];
  return (
    <div className={styles.column}>
      <Card
        title="People and tags"
        actions={
          madeFrom === null && <Button onClick={() => setOpen(true)}>Change who may use it</Button>
        }
      >
        {madeFrom !== null && <p>{madeFrom}</p>}
        <Loaded of={access} what="The access" skeleton={<PageSkeleton lines={2} />}>
          {(found) => <Given access={found} />}
        </Loaded>
      </Card>
      {isOpen && <AccessDialog row={row} onClose={() => setOpen(false)} />}
      <TestsCard row={row} />
      <AccountsCard row={row} />
      <Card title="Who sees it">
        <Loaded of={users} what="The users" skeleton={<PageSkeleton lines={4} />}>
          {() => (
            <>
              <Viewers users={known} tags={row.tags} />
              {users.hasNextPage && (
                <Button
                  variant="default"
                  size="xs"
                  loading={users.isFetching}
                  onClick={() => void users.fetchNextPage()}
                >
                  Look at more users
                </Button>
              )}
            </>
          )}
        </Loaded>
      </Card>
    </div>
  );
}

function Given({ access }: { access: RowAccess }) {
  const choices = toChoices(access);
  if (choices.length === 0) return <p>No person and no tag is chosen.</p>;
  const more = access.people_total - access.people.length;
  return (
    <ul className={own.chips} aria-label="People and tags">
      {choices.map((choice) => (
        <li key={choice.kind === "person" ? choice.id : choice.name}>
          <Badge tone={choice.kind === "person" ? "info" : "plain"}>
            <bdi>{choice.name}</bdi>
          </Badge>
        </li>
      ))}
      {more > 0 && <li>{`and ${formatNumber(more)} more people`}</li>}
    </ul>
  );
}

function Viewers({ users, tags }: { users: User[]; tags: string[] }) {
  const viewers = listViewers(users, tags);
  const others = viewers.filter(({ reason }) => reason !== "admin").length;
  return (
    <>
      {others === 0 && (
        <Alert color="blue" mb="sm">
          Only admins see it.
        </Alert>
      )}
      <ul className={styles.viewers}>
        {viewers.slice(0, shownMax).map(({ user, reason }) => (
          <li key={user.id}>
            <strong>{user.name || user.email}</strong>
            <span>{user.name === "" ? "" : user.email}</span>
            <span className={styles.reason}>
              {reason === "admin"
                ? "Admin"
                : isRowTag(reason)
                  ? "as a person"
                  : `by the tag ${reason}`}
            </span>
          </li>
        ))}
      </ul>
      {viewers.length > shownMax && (
        <p className={styles.lead}>{`And ${formatNumber(viewers.length - shownMax)} more.`}</p>
      )}
    </>
  );
}
