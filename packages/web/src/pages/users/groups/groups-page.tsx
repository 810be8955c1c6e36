import { Button } from "@mantine/core";
import { useState } from "react";
import { useApi } from "../../../api/use-api.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { TableSkeleton } from "../../../ui/tables/table-skeleton.tsx";
import { UsersFrame } from "../users-frame.tsx";
import { GroupDialog } from "./group-dialog.tsx";
import { type Groups, GroupTable, lineColumns } from "./group-table.tsx";
import { KnownGroups } from "./known-groups.tsx";

/** What groups of the organization's directory give to users. */
export function GroupsPage() {
  const groups = useApi("GET /admin/api/groups", {});
  // The number of the line that is edited; -1 is a new one.
  const [edited, setEdited] = useState<{ at: number; pattern: string } | null>(null);
  const add = (pattern = "") => setEdited({ at: -1, pattern });
  return (
    <UsersFrame
      tab="/admin/users/groups"
      lead="What the groups of your directory give to their members: tags, and the role."
      actions={
        groups.data !== undefined && (
          <Button leftSection={<Icon name="plus" />} onClick={() => add()}>
            Add a group
          </Button>
        )
      }
    >
      <Loaded
        of={groups}
        what="The groups"
        skeleton={<TableSkeleton columns={lineColumns} lines={4} />}
      >
        {(found) => (
          <>
            <Source groups={found} />
            {found.lines.length === 0 ? (
              <EmptyState
                icon="users"
                title="No group gives anything yet"
                action={
                  <Button variant="default" onClick={() => add()}>
                    Add a group
                  </Button>
                }
              >
                A line names a group of your directory, and the tags and the role that its members
                get. Tags given by hand stay beside them.
              </EmptyState>
            ) : (
              <GroupTable groups={found} onEdit={(at) => setEdited({ at, pattern: "" })} />
            )}
            <KnownGroups groups={found} onAdd={add} />
            {edited !== null && (
              <GroupDialog
                groups={found}
                at={edited.at}
                pattern={edited.pattern}
                onClose={() => setEdited(null)}
              />
            )}
          </>
        )}
      </Loaded>
    </UsersFrame>
  );
}

/** Where groups come from now. */
function Source({ groups }: { groups: Groups }) {
  const { claim, required_group: required, waiting } = groups;
  return (
    <p>
      {claim === null
        ? "Single sign-on brings no groups: HUB_SSO_GROUPS_CLAIM is not set. "
        : `Single sign-on reads groups from the claim ${claim}. `}
      {required !== null && `Only members of ${required} may sign in. `}
      {waiting > 0 && `${waiting} users still wait for the changed lines. `}
      <a href="/help/guide/groups">How groups work</a>
    </p>
  );
}
