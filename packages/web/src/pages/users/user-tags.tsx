import type { User } from "@hub/contract/user.ts";
import { Alert, Button, Group } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useAll, useChange } from "../../api/use-api.ts";
import { TagInput } from "../../ui/badges/tag-input.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { applyTagChange, describeOthersChange, findTagChange } from "./tag-difference.ts";
import { userRoutes } from "./user-routes.ts";
import styles from "./users.module.css";

type Edit = { shown: string[]; typed: string[] };

/** The tags, with what new ones open before they are given. */
export function UserTags({ user }: { user: User }) {
  const toast = useToast();
  const [edit, setEdit] = useState<Edit | null>(null);
  const change = useChange("PATCH /admin/api/users/{user}", {
    refreshes: userRoutes,
    onDone({ email }) {
      setEdit(null);
      toast({ text: `The tags of ${email} are saved.` });
    },
  });
  const difference = findTagChange(edit?.shown ?? [], edit?.typed ?? []);
  const { add_tags: added, remove_tags: removed } = difference;
  const isChanged = added.length + removed.length > 0;
  const others = edit === null ? null : describeOthersChange(edit.shown, user.tags);
  // The typed change is kept. It is shown on top of what others have changed meanwhile.
  const value = edit === null ? user.tags : applyTagChange(user.tags, difference);
  // What others have changed since the edit began is told until it is saved or cancelled.
  const type = (tags: string[]) => {
    const shown = edit?.shown ?? user.tags;
    setEdit({ shown, typed: applyTagChange(shown, findTagChange(user.tags, tags)) });
  };
  const submit = (event: FormEvent) => {
    event.preventDefault();
    change.run({ params: { user: user.id }, body: difference });
  };
  return (
    <Card title="Tags">
      <form onSubmit={submit}>
        <div className={styles.line}>
          <TagInput
            label="Tags"
            isTitled
            description={
              user.role === "admin"
                ? "Admins see every row. The tags matter once the user is no admin."
                : "The user sees each row that has one of these tags, and those for everyone."
            }
            value={value}
            onChange={type}
          />
          <Group gap="sm">
            {isChanged && (
              <Button variant="default" onClick={() => setEdit(null)}>
                Cancel
              </Button>
            )}
            <Button type="submit" disabled={!isChanged} loading={change.isPending}>
              Save tags
            </Button>
          </Group>
        </div>
      </form>
      {others !== null && isChanged && (
        <Alert color="yellow" role="status" mt="sm">
          {others} Your change is kept: save it, or cancel.
        </Alert>
      )}
      {isChanged && user.role !== "admin" && <TagEffect user={user} tags={value} />}
      <Failure of={change.error} />
    </Card>
  );
}

const namedMax = 10;

/** What the user would see or lose with these tags. */
function TagEffect({ user, tags }: { user: User; tags: readonly string[] }) {
  const rows = useAll("GET /manager/api/rows", {});
  if (rows.data === undefined) return null;
  const all = rows.data.flatMap((page) => page.rows);
  const isOpen = (own: readonly string[], given: readonly string[]) =>
    own.some((tag) => tag === "everyone" || given.includes(tag));
  const gained = all.filter((row) => isOpen(row.tags, tags) && !isOpen(row.tags, user.tags));
  const lost = all.filter((row) => !isOpen(row.tags, tags) && isOpen(row.tags, user.tags));
  return (
    <p className={styles.note} role="status">
      {gained.length + lost.length === 0 && "This changes no row that the user sees."}
      {gained.length > 0 && `Opens ${nameRows(gained)}. `}
      {lost.length > 0 && `Takes away ${nameRows(lost)}.`}
    </p>
  );
}

function nameRows(rows: ReadonlyArray<{ label: string }>): string {
  const names = rows.slice(0, namedMax).map(({ label }) => label);
  const more = rows.length - names.length;
  const count = rows.length === 1 ? "1 row" : `${rows.length} rows`;
  return `${count}: ${names.join(", ")}${more > 0 ? ` and ${more} more` : ""}`;
}
