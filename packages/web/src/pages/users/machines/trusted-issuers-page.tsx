import type { ClaimCondition, TrustedIssuer } from "@hub/contract/machine.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useApi, useChange } from "../../../api/use-api.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { type Column, DataTable } from "../../../ui/tables/data-table.tsx";
import { TableSkeleton } from "../../../ui/tables/table-skeleton.tsx";
import { TimeAt } from "../../../ui/text/time-at.tsx";
import { UsersFrame } from "../users-frame.tsx";
import { AddTrustedIssuerDialog } from "./add-trusted-issuer-dialog.tsx";
import { machineRoutes } from "./machine-routes.ts";

/** The issuers whose signed assertions open the hub without a stored secret. */
export function TrustedIssuersPage() {
  const toast = useToast();
  const found = useApi("GET /admin/api/trusted-issuers", {});
  const users = useApi("GET /admin/api/service-users", {});
  const [isAdding, setAdding] = useState(false);
  const [asked, setAsked] = useState<TrustedIssuer | null>(null);
  const remove = useChange("DELETE /admin/api/trusted-issuers/{issuer}", {
    refreshes: machineRoutes,
    onDone({ name }) {
      setAsked(null);
      toast({ text: `${name} is not trusted any more.` });
    },
  });
  return (
    <UsersFrame
      tab="/admin/users/trusted-issuers"
      lead="Platforms and providers whose signed assertions open the hub, so that a program stores no secret."
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
          Trust an issuer
        </Button>
      }
    >
      <Loaded
        of={found}
        what="The trusted issuers"
        skeleton={<TableSkeleton columns={toColumns(setAsked)} lines={5} />}
      >
        {({ trusted_issuers: issuers }) =>
          issuers.length === 0 ? (
            <EmptyState icon="key" title="No issuer is trusted">
              A CI job or a pod brings an assertion of its platform in place of a stored token.
            </EmptyState>
          ) : (
            <DataTable
              label="Trusted issuers"
              rows={issuers}
              columns={toColumns(setAsked)}
              toKey={({ id }) => id}
            />
          )
        }
      </Loaded>
      {isAdding && (
        <AddTrustedIssuerDialog
          users={users.data?.service_users ?? []}
          onClose={() => setAdding(false)}
        />
      )}
      <ConfirmDialog
        key={asked?.id ?? ""}
        isOpen={asked !== null}
        title={`End the trust in ${asked?.name ?? ""}?`}
        action="End the trust"
        name={asked?.name ?? ""}
        isBusy={remove.isPending}
        onConfirm={() => asked !== null && remove.run({ params: { issuer: asked.id } })}
        onClose={() => setAsked(null)}
      >
        The tokens that came of its assertions are refused from their next request on.
      </ConfirmDialog>
    </UsersFrame>
  );
}

function toColumns(onDelete: (issuer: TrustedIssuer) => void): Array<Column<TrustedIssuer>> {
  return [
    {
      key: "name",
      header: "Name",
      width: "minmax(6rem, 2fr)",
      render: ({ name }) => <span title={name}>{name}</span>,
    },
    {
      key: "issuer",
      header: "Issuer",
      width: "minmax(8rem, 3fr)",
      isWideOnly: true,
      render: ({ issuer }) => <span title={issuer}>{issuer}</span>,
    },
    {
      key: "conditions",
      header: "Conditions",
      width: "minmax(8rem, 3fr)",
      isWideOnly: true,
      isLargeOnly: true,
      render: ({ conditions }) => {
        const text = conditions.map(toText).join(", ");
        return <span title={text}>{text === "" ? "–" : text}</span>;
      },
    },
    {
      key: "user",
      header: "Calls as",
      width: "minmax(6rem, 2fr)",
      isWideOnly: true,
      render: ({ service_user: user }) => user ?? "The user it names",
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
      render: (issuer) => (
        <Button
          size="compact-xs"
          variant="danger"
          aria-label={`Delete ${issuer.name}`}
          onClick={() => onDelete(issuer)}
        >
          Delete
        </Button>
      ),
    },
  ];
}

function toText(condition: ClaimCondition): string {
  return "value" in condition
    ? `${condition.claim} = ${condition.value}`
    : `${condition.claim} = ${condition.prefix}…`;
}
