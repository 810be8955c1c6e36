import type { User } from "@hub/contract/user.ts";
import { Alert, Button, Group, Stack, TagsInput } from "@mantine/core";
import { useState } from "react";
import { useChange, usePages } from "../../../api/use-api.ts";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../../ui/page/page-skeleton.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";
import { useMadeFrom } from "../use-made-from.ts";
import { listViewers } from "./list-viewers.ts";
import { TestsCard } from "./tests-card.tsx";

const everyone = "everyone";
const shownMax = 200;

/** The tags of a row, and by name who sees it with them, before they are saved. */
export function AccessTab({ row }: { row: ShownRow }) {
  const toast = useToast();
  const users = usePages("GET /admin/api/users", { query: { limit: 1000 } }, "after");
  const [typed, setTyped] = useState<string[] | null>(null);
  const change = useChange("PATCH /manager/api/rows/{row}", {
    refreshes: ["GET /manager/api/rows/{row}", "GET /manager/api/rows"],
    onDone() {
      setTyped(null);
      toast({ text: "The tags are saved." });
    },
  });
  const madeFrom = useMadeFrom(row.connector);
  const tags = typed ?? row.tags;
  const isChanged = typed !== null && typed.toSorted().join() !== row.tags.toSorted().join();
  const known = users.data?.pages.flatMap((page) => page.users) ?? [];
  const suggested = [...new Set([everyone, ...known.flatMap((user) => user.tags)])].toSorted();
  return (
    <div className={styles.column}>
      <Card title="Tags">
        <Stack gap="md">
          <TagsInput
            label="Tags"
            description="Users with one of these tags see the row. The tag everyone opens it to every user."
            inputWrapperOrder={["label", "input", "error", "description"]}
            data={suggested}
            value={tags}
            disabled={madeFrom !== null}
            onChange={setTyped}
            error={change.error?.message ?? null}
          />
          {madeFrom !== null ? (
            <p>{madeFrom}</p>
          ) : (
            <Group>
              <Button
                disabled={!isChanged}
                loading={change.isPending}
                onClick={() =>
                  change.run({ params: { row: row.id }, body: { version: row.version, tags } })
                }
              >
                Save tags
              </Button>
              {isChanged && (
                <Button variant="subtle" onClick={() => setTyped(null)}>
                  Discard
                </Button>
              )}
            </Group>
          )}
        </Stack>
      </Card>
      <TestsCard row={row} />
      <Card title={isChanged ? "Who will see it" : "Who sees it"}>
        <Loaded of={users} what="The users" skeleton={<PageSkeleton lines={4} />}>
          {() => (
            <>
              <Viewers users={known} tags={tags} />
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
              {reason === "admin" ? "Admin" : `by the tag ${reason}`}
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
