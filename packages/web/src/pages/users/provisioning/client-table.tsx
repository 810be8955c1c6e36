import type { CreatedScimClient, ScimClient } from "@hub/contract/scim-client.ts";
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { type Column, DataTable } from "../../../ui/tables/data-table.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import { scimRoutes } from "./scim-routes.ts";

type Asked = { what: "rotate" | "remove"; client: ScimClient };

type Props = { clients: readonly ScimClient[]; onToken: (made: CreatedScimClient) => void };

/** SCIM clients. Replacing a token and removing a client stop the provider, so both ask first. */
export function ClientTable({ clients, onToken }: Props) {
  const toast = useToast();
  const [asked, setAsked] = useState<Asked | null>(null);
  const close = () => setAsked(null);
  const fail = ({ message }: { message: string }) => {
    close();
    toast({ kind: "error", text: message });
  };
  const rotate = useChange("POST /admin/api/scim-clients/{client}/rotate", {
    refreshes: scimRoutes,
    onDone(made) {
      close();
      onToken(made);
    },
    onFailed: fail,
  });
  const remove = useChange("DELETE /admin/api/scim-clients/{client}", {
    refreshes: scimRoutes,
    onDone({ name }) {
      close();
      toast({ text: `The client ${name} is removed.` });
    },
    onFailed: fail,
  });
  const confirm = () => {
    if (asked === null) return;
    const params = { client: asked.client.id };
    if (asked.what === "rotate") rotate.run({ params, body: {} });
    else remove.run({ params });
  };
  const isRotation = asked?.what === "rotate";
  return (
    <>
      <DataTable
        label="SCIM clients"
        rows={clients}
        columns={toColumns(setAsked)}
        toKey={({ id }) => id}
      />
      <ConfirmDialog
        key={`${asked?.client.id} ${asked?.what}`}
        isOpen={asked !== null}
        title={`${isRotation ? "Replace the token of" : "Remove"} ${asked?.client.name ?? ""}?`}
        action={isRotation ? "Replace" : "Remove"}
        name={asked?.client.name ?? ""}
        isBusy={rotate.isPending || remove.isPending}
        onConfirm={confirm}
        onClose={close}
      >
        {isRotation
          ? "The present token is refused from the next request on, until the provider has the new one."
          : "Its token is refused from the next request on. Its users stay as they are, and its groups give them nothing any more. This cannot be undone."}
      </ConfirmDialog>
    </>
  );
}

/** For what has the shape of the table. */
export const clientColumns = toColumns(() => {});

function toColumns(onAsk: (asked: Asked) => void): Array<Column<ScimClient>> {
  return [
    {
      key: "name",
      header: "Name",
      width: "minmax(5.5rem, 2fr)",
      render: ({ name }) => <span title={name}>{name}</span>,
    },
    {
      key: "ends",
      header: "Token",
      width: "5.5rem",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ last_four: end }) => <code>…{end}</code>,
    },
    {
      key: "issuer",
      header: "Issuer",
      width: "minmax(6rem, 2.4fr)",
      isWideOnly: true,
      render: ({ issuer }) => <span title={issuer ?? ""}>{issuer ?? "None"}</span>,
    },
    {
      key: "addresses",
      header: "Addresses",
      width: "minmax(5rem, 1fr)",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ addresses }) => (
        <span title={addresses?.join(", ") ?? ""}>{addresses?.join(", ") ?? "Any"}</span>
      ),
    },
    {
      key: "users",
      header: "Users",
      width: "4.5rem",
      align: "end",
      isWideOnly: true,
      render: ({ users }) => formatNumber(users),
    },
    {
      key: "groups",
      header: "Groups",
      width: "4.5rem",
      align: "end",
      isWideOnly: true,
      render: ({ groups }) => formatNumber(groups),
    },
    {
      key: "used",
      header: "Last used",
      width: "8.5rem",
      isWideOnly: true,
      render: ({ last_used_at: at }) => (at === null ? "Never" : <TimeAt at={at} />),
    },
    {
      key: "expires",
      header: "Expires",
      width: "8.5rem",
      isWideOnly: true,
      render: ({ expires_at: at }) => <TimeAt at={at} />,
    },
    {
      key: "actions",
      header: "Action",
      width: "11rem",
      align: "end",
      render: (client) => (
        <Group gap="xs" justify="flex-end" wrap="nowrap">
          <Button
            size="compact-xs"
            variant="default"
            aria-label={`Replace the token of ${client.name}`}
            onClick={() => onAsk({ what: "rotate", client })}
          >
            New token
          </Button>
          <Button
            size="compact-xs"
            variant="danger"
            aria-label={`Remove ${client.name}`}
            onClick={() => onAsk({ what: "remove", client })}
          >
            Remove
          </Button>
        </Group>
      ),
    },
  ];
}
