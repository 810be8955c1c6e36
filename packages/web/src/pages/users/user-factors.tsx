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

const kindNames = { totp: "App for codes", passkey: "Passkey" } as const;

/** The second factors, which an admin removes for a user who has lost them. Nothing is shown if there are none. */
export function UserFactors({ user }: { user: User }) {
  const toast = useToast();
  const params = { user: user.id };
  const factors = useApi("GET /admin/api/users/{user}/factors", { params });
  const [isAsking, setAsking] = useState(false);
  const remove = useChange("DELETE /admin/api/users/{user}/factors", {
    refreshes: ["GET /admin/api/users/{user}/factors", ...userRoutes],
    onDone({ email }) {
      setAsking(false);
      toast({ text: `${email} signs in with the password alone.` });
    },
    onFailed: () => setAsking(false),
  });
  const found = factors.data?.factors ?? [];
  if (found.length === 0) return null;
  return (
    <Card title="Second factor">
      <DataTable
        label="Second factors"
        rows={found}
        toKey={({ id }) => id}
        columns={[
          {
            key: "name",
            header: "Name",
            width: "minmax(8rem, 2fr)",
            render: ({ name }) => name,
          },
          {
            key: "kind",
            header: "Kind",
            width: "minmax(8rem, 1fr)",
            isWideOnly: true,
            render: ({ kind }) => kindNames[kind],
          },
          {
            key: "used",
            header: "Last used",
            width: "8.5rem",
            align: "end",
            render: ({ last_used_at: at }) => (at === null ? "never" : <TimeAt at={at} />),
          },
        ]}
      />
      <p>
        <Button size="compact-sm" variant="danger" onClick={() => setAsking(true)}>
          Remove all
        </Button>
      </p>
      <Failure of={remove.error} />
      <ConfirmDialog
        isOpen={isAsking}
        title={`Remove the second factors of ${user.email}?`}
        action="Remove all"
        isDangerous
        isBusy={remove.isPending}
        onConfirm={() => remove.run({ params })}
        onClose={() => setAsking(false)}
      >
        For a user who has lost them. Make sure that it is this person who asks: the password alone
        signs in then. The browsers of the user are signed out, and the recovery codes go.
      </ConfirmDialog>
    </Card>
  );
}
