import type { User } from "@hub/contract/user.ts";
import { Link, useParams } from "@tanstack/react-router";
import { useApi } from "../../api/use-api.ts";
import { PermitList } from "../../call-parts/permits/permit-list.tsx";
import { CopyableId } from "../../ui/controls/copyable-id.tsx";
import { Card } from "../../ui/page/card.tsx";
import { DetailSkeleton } from "../../ui/page/detail-skeleton.tsx";
import { LoadedPage } from "../../ui/page/loaded-page.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { Properties } from "../../ui/page/properties.tsx";
import { TimeAgo } from "../../ui/text/time-ago.tsx";
import { UserAccess } from "./user-access.tsx";
import { UserAccount } from "./user-account.tsx";
import { UserActions } from "./user-actions.tsx";
import { UserGroups } from "./user-groups.tsx";
import { UserRows } from "./user-rows.tsx";
import { UserState } from "./user-state.tsx";
import { UserTags } from "./user-tags.tsx";

const everyMs = 10_000;

/** One user: state, role, tags, what they see, and everything that acts in their name. */
export function UserPage() {
  const { user: id } = useParams({ from: "/admin/users/$user" });
  const params = { user: id };
  // Two admins may work on one user: each sees what the other does.
  const user = useApi("GET /admin/api/users/{user}", { params }, { everyMs });
  const parent = <Link to="/admin/users">Users</Link>;
  return (
    <LoadedPage
      of={user}
      what="The user"
      title="User"
      parent={parent}
      skeleton={<DetailSkeleton cards={[2, 2, 2, 6, 1]} />}
    >
      {(found) => (
        <Page title={found.email} parent={parent} actions={<UserActions user={found} />}>
          <UserSummary user={found} />
          <UserAccount key={`${found.id} account`} user={found} />
          <UserTags key={`${found.id} tags`} user={found} />
          <UserGroups user={found} />
          <UserRows user={found} />
          <UserAccess user={found} />
          <Card title="Calls permitted for an hour">
            <PermitList user={found.id} />
          </Card>
        </Page>
      )}
    </LoadedPage>
  );
}

function UserSummary({ user }: { user: User }) {
  return (
    <Card title="User">
      <Properties
        items={[
          ["State", <UserState key="state" status={user.status} />],
          ["Role", user.role === "admin" ? "Admin" : "User"],
          ["Name", user.name],
          ["Added", <TimeAgo key="added" at={user.created_at} />],
          ["Id", <CopyableId key="id" id={user.id} what="the id" />],
          [
            "Records",
            <span key="records">
              <Link to="/manager/runs" search={{ user: user.id }}>
                Calls
              </Link>
              {" · "}
              <Link to="/admin/changes" search={{ target: user.id }}>
                Changes to this user
              </Link>
              {" · "}
              <Link to="/admin/changes" search={{ actor: user.id }}>
                Changes by this user
              </Link>
            </span>,
          ],
        ]}
      />
    </Card>
  );
}
