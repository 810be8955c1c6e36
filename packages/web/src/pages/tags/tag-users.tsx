import type { User } from "@hub/contract/user.ts";
import { Button } from "@mantine/core";
import { useChange, usePages } from "../../api/use-api.ts";
import { UserSelect } from "../../ui/controls/user-select.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { MoreFailed } from "../../ui/tables/more-failed.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { emailColumn, nameColumn } from "../users/user-columns.tsx";
import { userRoutes } from "../users/user-routes.ts";
import { UserState } from "../users/user-state.tsx";
import styles from "./tags.module.css";

const pageSize = 100;

/** The users who have a tag, with ways to give and to take it. */
export function TagUsers({ tag }: { tag: string }) {
  const { give, take } = useTagOfUsers(tag);
  const pages = usePages("GET /admin/api/users", { query: { tag, limit: pageSize } }, "after");
  return (
    <>
      <UserSelect
        className={styles.add}
        label="Give it to"
        hasLabel
        placeholder="Search by e-mail"
        withoutTag={tag}
        value={null}
        onChange={(id) => id !== null && give(id)}
      />
      <Loaded
        of={pages}
        what="The users"
        skeleton={<TableSkeleton columns={toColumns(take)} lines={4} />}
      >
        {(data) => {
          const having = data.pages.flatMap(({ users }) => users);
          if (having.length === 0) return <p>No user has this tag yet.</p>;
          return (
            <>
              <DataTable
                label="Users"
                rows={having}
                columns={toColumns(take)}
                toKey={({ id }) => id}
                onMore={pages.onMore}
                isLoadingMore={pages.isFetching}
              />
              <MoreFailed of={pages} what="More users" />
            </>
          );
        }}
      </Loaded>
    </>
  );
}

/** Gives and takes at once: each offers Undo. */
function useTagOfUsers(tag: string) {
  const toast = useToast();
  const change = useChange("PATCH /admin/api/users/{user}", {
    refreshes: userRoutes,
    onDone({ id, email, tags }) {
      const isGiven = tags.includes(tag);
      const undo = isGiven ? { remove_tags: [tag] } : { add_tags: [tag] };
      toast({
        text: isGiven ? `${email} has the tag ${tag}.` : `${email} no longer has the tag ${tag}.`,
        onUndo: () => change.run({ params: { user: id }, body: undo }),
      });
    },
    onFailed: ({ message }) => toast({ kind: "error", text: message }),
  });
  return {
    give: (id: string) => change.run({ params: { user: id }, body: { add_tags: [tag] } }),
    take: ({ id }: User) => change.run({ params: { user: id }, body: { remove_tags: [tag] } }),
  };
}

function toColumns(take: (user: User) => void): Array<Column<User>> {
  return [
    { ...emailColumn, width: "minmax(9rem, 2fr)" },
    { ...nameColumn, width: "minmax(6rem, 1fr)" },
    {
      key: "state",
      header: "State",
      width: "6rem",
      isWideOnly: true,
      render: ({ status }) => <UserState status={status} />,
    },
    {
      key: "take",
      header: "Action",
      width: "5.5rem",
      align: "end",
      render: (user) => (
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`Take away the tag from ${user.email}`}
          onClick={() => take(user)}
        >
          Take away
        </Button>
      ),
    },
  ];
}
