import type { Session } from "@hub/contract/session.ts";
import type { User } from "@hub/contract/user.ts";
import { Button } from "@mantine/core";
import type { Answer } from "../../api/call-api.ts";
import { useAll, useApi, useChange } from "../../api/use-api.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { TimeAt } from "../../ui/text/time-at.tsx";
import { ApplicationTable } from "../applications/application-table.tsx";
import { TokenTable } from "../tokens/token-table.tsx";
import { UserChatAccounts } from "./user-chat-accounts.tsx";
import { UserFactors } from "./user-factors.tsx";
import { UserIdentities } from "./user-identities.tsx";

/** Everything that acts in the name of a user, each with its end. */
export function UserAccess({ user }: { user: Answer<"GET /admin/api/users/{user}"> }) {
  return (
    <>
      <UserSessions user={user} />
      <UserTokens user={user} />
      <UserApplications user={user} />
      {user.linked.second_factors > 0 && <UserFactors user={user} />}
      {user.linked.identities > 0 && <UserIdentities user={user} />}
      {user.linked.chat_accounts > 0 && <UserChatAccounts user={user} />}
    </>
  );
}

const sessionColumns: ReadonlyArray<Column<Session>> = [
  {
    key: "agent",
    header: "Browser",
    width: "minmax(8rem, 3fr)",
    render: ({ user_agent: agent }) => <span title={agent ?? ""}>{agent ?? "Unknown"}</span>,
  },
  {
    key: "address",
    header: "Address",
    width: "minmax(6rem, 1fr)",
    isWideOnly: true,
    render: ({ ip_address: address }) => address ?? "–",
  },
  {
    key: "seen",
    header: "Last seen",
    width: "8.5rem",
    align: "end",
    isWideOnly: true,
    render: ({ last_seen_at: at }) => <TimeAt at={at} />,
  },
  {
    key: "end",
    header: "Action",
    width: "5.5rem",
    align: "end",
    render: (session) => <EndSession session={session} />,
  },
];

function UserSessions({ user }: { user: User }) {
  const sessions = useApi("GET /admin/api/sessions", { query: { user: user.id } });
  return (
    <Card title="Signed-in browsers">
      <Loaded
        of={sessions}
        what="The browsers"
        skeleton={<TableSkeleton columns={sessionColumns} lines={1} />}
      >
        {({ sessions: found }) =>
          found.length === 0 ? (
            <p>No browser is signed in.</p>
          ) : (
            <DataTable
              label="Signed-in browsers"
              rows={found}
              columns={sessionColumns}
              toKey={({ id }) => id}
            />
          )
        }
      </Loaded>
    </Card>
  );
}

function EndSession({ session }: { session: Session }) {
  const toast = useToast();
  const end = useChange("POST /admin/api/sessions/{session}/end", {
    refreshes: ["GET /admin/api/sessions", "GET /admin/api/changes"],
    onDone: () => toast({ text: "The browser is signed out." }),
    onFailed: ({ message }) => toast({ kind: "error", text: message }),
  });
  return (
    <Button
      size="compact-xs"
      variant="default"
      loading={end.isPending}
      onClick={() => end.run({ params: { session: session.id } })}
    >
      Sign out
    </Button>
  );
}

function UserTokens({ user }: { user: User }) {
  const tokens = useAll("GET /admin/api/tokens", { query: { user: user.id } });
  return (
    <Card title="Tokens">
      <Loaded of={tokens} what="The tokens" skeleton={<PageSkeleton lines={2} />}>
        {(pages) => {
          const found = pages.flatMap((page) => page.tokens);
          return found.length === 0 ? (
            <p>The user has no tokens.</p>
          ) : (
            <TokenTable tokens={found} isOfOneUser />
          );
        }}
      </Loaded>
    </Card>
  );
}

function UserApplications({ user }: { user: User }) {
  const applications = useApi("GET /admin/api/applications", { query: { user: user.id } });
  return (
    <Card title="Applications">
      <Loaded of={applications} what="The applications" skeleton={<PageSkeleton lines={2} />}>
        {({ applications: found }) =>
          found.length === 0 ? (
            <p>The user has connected no application.</p>
          ) : (
            <ApplicationTable applications={found} isOfOneUser />
          )
        }
      </Loaded>
    </Card>
  );
}
