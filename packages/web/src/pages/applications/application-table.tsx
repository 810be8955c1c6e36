import type { Application } from "@hub/contract/application.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { TimeAt } from "../../ui/text/time-at.tsx";

type Props = {
  applications: readonly Application[];
  isOfOneUser?: boolean;
  onMore?: (() => void) | undefined;
  isLoadingMore?: boolean;
};

/** OAuth clients that users have allowed. */
export function ApplicationTable({ applications, isOfOneUser = false, ...more }: Props) {
  const toast = useToast();
  const [asked, setAsked] = useState<Application | null>(null);
  const revoke = useChange("POST /admin/api/applications/{application}/revoke", {
    refreshes: ["GET /admin/api/applications", "GET /admin/api/changes"],
    onDone({ name }) {
      setAsked(null);
      toast({ text: `${name} is disconnected.` });
    },
    onFailed({ message }) {
      setAsked(null);
      toast({ kind: "error", text: message });
    },
  });
  return (
    <>
      <DataTable
        label="Applications"
        rows={applications}
        columns={toColumns(setAsked).filter(({ key }) => !isOfOneUser || key !== "user")}
        toKey={({ id }) => id}
        {...more}
      />
      <ConfirmDialog
        isOpen={asked !== null}
        title={`Disconnect ${asked?.name ?? ""}?`}
        action="Disconnect"
        isDangerous
        isBusy={revoke.isPending}
        onConfirm={() => asked !== null && revoke.run({ params: { application: asked.id } })}
        onClose={() => setAsked(null)}
      >
        Its tokens stop working at once. {asked?.user} can allow it again.
      </ConfirmDialog>
    </>
  );
}

/** For what has the shape of the table. */
export const applicationColumns = toColumns(() => {});

function toColumns(onRevoke: (application: Application) => void): Array<Column<Application>> {
  return [
    {
      key: "name",
      header: "Application",
      width: "minmax(7rem, 2fr)",
      render: ({ name }) => <span title={name}>{name}</span>,
    },
    {
      key: "user",
      header: "User",
      width: "minmax(7rem, 2fr)",
      isWideOnly: true,
      render: ({ user }) => <span title={user}>{user}</span>,
    },
    {
      key: "destination",
      header: "Sends codes to",
      width: "minmax(7rem, 1.5fr)",
      isWideOnly: true,
      render: ({ destination }) => <span title={destination}>{destination}</span>,
    },
    {
      key: "used",
      header: "Last used",
      width: "8.5rem",
      isWideOnly: true,
      render: ({ last_used_at: at }) => (at === null ? "Never" : <TimeAt at={at} />),
    },
    {
      key: "connected",
      header: "Connected",
      width: "8.5rem",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ connected_at: at }) => <TimeAt at={at} />,
    },
    {
      key: "revoke",
      header: "Action",
      width: "6.5rem",
      align: "end",
      render: (application) => (
        <Button
          size="compact-xs"
          variant="danger"
          aria-label={`Disconnect ${application.name}`}
          onClick={() => onRevoke(application)}
        >
          Disconnect
        </Button>
      ),
    },
  ];
}
