import type { User } from "@hub/contract/user.ts";
import { Alert, Button, Group } from "@mantine/core";
import { type FormEvent, useState } from "react";
import type { Answer } from "../../api/call-api.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { TagInput } from "../../ui/badges/tag-input.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { formatNumber } from "../../ui/text/format.ts";
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
  // What others have changed since the edit began is shown until it is saved or cancelled.
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
            <Button
              type="submit"
              variant="default"
              disabled={!isChanged}
              loading={change.isPending}
            >
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

/** What the user would see or lose with these tags. */
function TagEffect({ user, tags }: { user: User; tags: readonly string[] }) {
  const { data } = useApi(
    "GET /admin/api/users/{user}/tag-preview",
    { params: { user: user.id }, query: { tags: tags.join(",") } },
    { keepsLast: true },
  );
  if (data === undefined) return null;
  const { gained, lost } = data;
  return (
    <p className={styles.note} role="status">
      {gained.total + lost.total === 0 && "This changes no row that the user sees."}
      {gained.total > 0 && `Opens ${nameRows(gained)}. `}
      {lost.total > 0 && `Takes away ${nameRows(lost)}.`}
    </p>
  );
}

type Sample = Answer<"GET /admin/api/users/{user}/tag-preview">["gained"];

function nameRows({ total, rows }: Sample): string {
  const names = rows.map(({ label }) => label);
  const more = total - names.length;
  const count = total === 1 ? "1 row" : `${formatNumber(total)} rows`;
  return `${count}: ${names.join(", ")}${more > 0 ? ` and ${formatNumber(more)} more` : ""}`;
}
