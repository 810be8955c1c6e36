import type { ServiceUser } from "@hub/contract/machine.ts";
import { Button, Stack } from "@mantine/core";
import { useState } from "react";
import { useApi } from "../../../api/use-api.ts";
import { StateBadge } from "../../../ui/badges/state-badge.tsx";
import { TagList } from "../../../ui/badges/tag-list.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { type Column, DataTable } from "../../../ui/tables/data-table.tsx";
import { TableSkeleton } from "../../../ui/tables/table-skeleton.tsx";
import { UsersFrame } from "../users-frame.tsx";
import { AddServiceUserDialog } from "./add-service-user-dialog.tsx";
import { ChangeServiceUserDialog } from "./change-service-user-dialog.tsx";
import { MachineClients } from "./machine-clients.tsx";
import { ServiceTokenDialog } from "./service-token-dialog.tsx";

type Asked = { what: "add" } | { what: "change" | "token"; user: ServiceUser };

/** Users for programs, and the clients that get tokens of them without a browser. */
export function ServiceUsersPage() {
  const found = useApi("GET /admin/api/service-users", {});
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  return (
    <UsersFrame
      tab="/admin/users/service-users"
      lead="Users for programs. Each sees at most what its owner sees, and stops with its owner."
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={() => setAsked({ what: "add" })}>
          Add a service user
        </Button>
      }
    >
      <Stack gap="lg">
        <Loaded
          of={found}
          what="The service users"
          skeleton={<TableSkeleton columns={toColumns(() => {})} lines={5} />}
        >
          {({ service_users: users }) =>
            users.length === 0 ? (
              <EmptyState icon="users" title="No service user yet">
                A program calls as a service user, by a token, a client or an assertion of its
                platform.
              </EmptyState>
            ) : (
              <DataTable
                label="Service users"
                rows={users}
                columns={toColumns(setAsked)}
                toKey={({ id }) => id}
              />
            )
          }
        </Loaded>
        <MachineClients users={found.data?.service_users ?? []} />
      </Stack>
      {asked?.what === "add" && <AddServiceUserDialog onClose={close} />}
      {asked?.what === "change" && <ChangeServiceUserDialog user={asked.user} onClose={close} />}
      {asked?.what === "token" && <ServiceTokenDialog user={asked.user} onClose={close} />}
    </UsersFrame>
  );
}

function toColumns(onAsk: (asked: Asked) => void): Array<Column<ServiceUser>> {
  return [
    {
      key: "name",
      header: "Name",
      width: "minmax(7rem, 2fr)",
      render: ({ name }) => <span title={name}>{name}</span>,
    },
    {
      key: "owner",
      header: "Owner",
      width: "minmax(7rem, 2fr)",
      isWideOnly: true,
      render: ({ owner }) => <span title={owner ?? ""}>{owner ?? "Waits for a new owner"}</span>,
    },
    {
      key: "tags",
      header: "Tags",
      width: "minmax(6rem, 2fr)",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ role, tags }) => (
        <TagList tags={tags} none={role === "admin" ? "As its owner" : "–"} />
      ),
    },
    {
      key: "state",
      header: "State",
      width: "6rem",
      isWideOnly: true,
      render: ({ works, status }) => (
        <StateBadge
          tone={works ? "good" : "off"}
          text={works ? "Active" : status === "active" ? "Owner is off" : "Disabled"}
        />
      ),
    },
    {
      key: "actions",
      header: "Actions",
      width: "9.5rem",
      align: "end",
      render: (user) => (
        <Button.Group>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Make a token of ${user.name}`}
            onClick={() => onAsk({ what: "token", user })}
          >
            Token
          </Button>
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Change ${user.name}`}
            onClick={() => onAsk({ what: "change", user })}
          >
            Change
          </Button>
        </Button.Group>
      ),
    },
  ];
}
