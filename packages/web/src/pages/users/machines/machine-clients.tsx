import type { MachineClient, ServiceUser } from "@hub/contract/machine.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useApi, useChange } from "../../../api/use-api.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { Card } from "../../../ui/page/card.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { type Column, DataTable } from "../../../ui/tables/data-table.tsx";
import { TableSkeleton } from "../../../ui/tables/table-skeleton.tsx";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import { AddMachineClientDialog } from "./add-machine-client-dialog.tsx";
import { machineRoutes } from "./machine-routes.ts";
import { describeBounds } from "./to-bounds.ts";

/** The clients that get tokens at the token endpoint without a browser. */
export function MachineClients({ users }: { users: readonly ServiceUser[] }) {
  const toast = useToast();
  const found = useApi("GET /admin/api/machine-clients", {});
  const [isAdding, setAdding] = useState(false);
  const [asked, setAsked] = useState<MachineClient | null>(null);
  const remove = useChange("DELETE /admin/api/machine-clients/{client}", {
    refreshes: machineRoutes,
    onDone({ name }) {
      setAsked(null);
      toast({ text: `${name} is deleted.` });
    },
  });
  return (
    <Card
      title="Machine clients"
      actions={
        <Button size="compact-sm" variant="default" onClick={() => setAdding(true)}>
          Register a client
        </Button>
      }
    >
      <Loaded
        of={found}
        what="The machine clients"
        skeleton={<TableSkeleton columns={toColumns(setAsked)} lines={3} />}
      >
        {({ machine_clients: clients }) =>
          clients.length === 0 ? (
            <p>No client is registered. One gets its tokens with a secret or a key of its own.</p>
          ) : (
            <DataTable
              label="Machine clients"
              rows={clients}
              columns={toColumns(setAsked)}
              toKey={({ id }) => id}
            />
          )
        }
      </Loaded>
      {isAdding && <AddMachineClientDialog users={users} onClose={() => setAdding(false)} />}
      <ConfirmDialog
        key={asked?.id ?? ""}
        isOpen={asked !== null}
        title={`Delete ${asked?.name ?? ""}?`}
        action="Delete"
        name={asked?.name ?? ""}
        isBusy={remove.isPending}
        onConfirm={() => asked !== null && remove.run({ params: { client: asked.id } })}
        onClose={() => setAsked(null)}
      >
        Its tokens are refused from their next request on. This cannot be undone.
      </ConfirmDialog>
    </Card>
  );
}

function toColumns(onDelete: (client: MachineClient) => void): Array<Column<MachineClient>> {
  return [
    {
      key: "name",
      header: "Name",
      width: "minmax(6rem, 2fr)",
      render: ({ name, id }) => <span title={`${name}, client_id ${id}`}>{name}</span>,
    },
    {
      key: "user",
      header: "Service user",
      width: "minmax(6rem, 2fr)",
      isWideOnly: true,
      render: ({ service_user: user }) => user ?? "Users of a trusted issuer",
    },
    {
      key: "bounds",
      header: "Limited to",
      width: "minmax(6rem, 2fr)",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ bounds }) => describeBounds(bounds),
    },
    {
      key: "used",
      header: "Last used",
      width: "8.5rem",
      isWideOnly: true,
      render: ({ last_used_at: at }) => (at === null ? "Never" : <TimeAt at={at} />),
    },
    {
      key: "delete",
      header: "Action",
      width: "4.75rem",
      align: "end",
      render: (client) => (
        <Button
          size="compact-xs"
          variant="danger"
          aria-label={`Delete ${client.name}`}
          onClick={() => onDelete(client)}
        >
          Delete
        </Button>
      ),
    },
  ];
}
