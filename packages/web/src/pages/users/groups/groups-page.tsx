import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { UsersFrame } from "../users-frame.tsx";

/** What groups of the organization's directory give to users. */
export function GroupsPage() {
  return (
    <UsersFrame
      tab="/admin/users/groups"
      lead="What the groups of your directory give to their members: tags, and the role."
    >
      <EmptyState icon="users" title="No group gives anything yet">
        A line names a group of your directory, and the tags and the role that its members get.
      </EmptyState>
    </UsersFrame>
  );
}
