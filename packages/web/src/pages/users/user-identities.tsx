import type { Identity } from "@hub/contract/identity.ts";
import type { User } from "@hub/contract/user.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { DataTable } from "../../ui/tables/data-table.tsx";
import { TimeAt } from "../../ui/text/time-at.tsx";
import { userRoutes } from "./user-routes.ts";

/** The accounts of single sign-on. Nothing is shown if there are none. */
export function UserIdentities({ user }: { user: User }) {
  const toast = useToast();
  const params = { user: user.id };
  const identities = useApi("GET /admin/api/users/{user}/identities", { params });
  const [asked, setAsked] = useState<Identity | null>(null);
  const unlink = useChange("DELETE /admin/api/users/{user}/identities/{identity}", {
    refreshes: ["GET /admin/api/users/{user}/identities", ...userRoutes],
    onDone() {
      setAsked(null);
      toast({ text: "The account is unlinked." });
    },
    onFailed: () => setAsked(null),
  });
  const found = identities.data?.identities ?? [];
  if (found.length === 0) return null;
  return (
    <Card title="Single sign-on">
      <DataTable
        label="Single sign-on"
        rows={found}
        toKey={({ id }) => id}
        columns={[
          {
            key: "issuer",
            header: "Provider",
            width: "minmax(8rem, 2fr)",
            render: ({ issuer }) => <span title={issuer}>{issuer}</span>,
          },
          {
            key: "email",
            header: "E-mail there",
            width: "minmax(8rem, 2fr)",
            isWideOnly: true,
            render: ({ email }) => email,
          },
          {
            key: "used",
            header: "Last used",
            width: "8.5rem",
            align: "end",
            isWideOnly: true,
            render: ({ last_used_at: at }) => <TimeAt at={at} />,
          },
          {
            key: "unlink",
            header: "Action",
            width: "5.5rem",
            align: "end",
            render: (identity) => (
              <Button size="compact-xs" variant="danger" onClick={() => setAsked(identity)}>
                Unlink
              </Button>
            ),
          },
        ]}
      />
      <Failure of={unlink.error} />
      <ConfirmDialog
        isOpen={asked !== null}
        title={`Unlink ${asked?.email ?? ""}?`}
        action="Unlink"
        isDangerous
        isBusy={unlink.isPending}
        onConfirm={() =>
          asked !== null && unlink.run({ params: { ...params, identity: asked.id } })
        }
        onClose={() => setAsked(null)}
      >
        The browsers of {user.email} are signed out. At their next single sign-on the hub looks for
        their account again.
      </ConfirmDialog>
    </Card>
  );
}
