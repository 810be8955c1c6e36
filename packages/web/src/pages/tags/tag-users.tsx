import type { User } from "@hub/contract/user.ts";
import { Button, Select } from "@mantine/core";
import { useChange } from "../../api/use-api.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { emailColumn, nameColumn } from "../users/user-columns.tsx";
import { userRoutes } from "../users/user-routes.ts";
import { UserState } from "../users/user-state.tsx";
import styles from "./tags.module.css";

type Props = { tag: string; users: readonly User[] };

/** The users who have a tag, with ways to give and to take it. */
export function TagUsers({ tag, users }: Props) {
  const { give, take } = useTagOfUsers(tag);
  const having = users.filter(({ tags }) => tags.includes(tag));
  const others = users.filter(({ tags }) => !tags.includes(tag));
  return (
    <>
      <Select
        className={styles.add}
        label="Give it to"
        placeholder="Search by e-mail"
        data={others.map(({ id, email }) => ({ value: id, label: email }))}
        value={null}
        onChange={(id) => {
          const user = others.find((one) => one.id === id);
          if (user !== undefined) give(user);
        }}
        searchable
        limit={50}
        nothingFoundMessage="No other user has this e-mail."
      />
      {having.length === 0 ? (
        <p>No user has this tag yet.</p>
      ) : (
        <DataTable label="Users" rows={having} columns={toColumns(take)} toKey={({ id }) => id} />
      )}
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
    give: ({ id }: User) => change.run({ params: { user: id }, body: { add_tags: [tag] } }),
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
          aria-label={`Take the tag from ${user.email}`}
          onClick={() => take(user)}
        >
          Take
        </Button>
      ),
    },
  ];
}
