import type { CreatedScimClient, ScimClient } from "@hub/contract/scim-client.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useApi } from "../../../api/use-api.ts";
import { CopyButton } from "../../../ui/controls/copy-button.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import { SecretOnce } from "../../../ui/dialogs/secret-once.tsx";
import { EmptyState } from "../../../ui/page/empty-state.tsx";
import { Loaded } from "../../../ui/page/loaded.tsx";
import { TableSkeleton } from "../../../ui/tables/table-skeleton.tsx";
import { UsersFrame } from "../users-frame.tsx";
import { AddClientDialog } from "./add-client-dialog.tsx";
import { ClientTable, clientColumns } from "./client-table.tsx";

/** The programs of identity providers that make, change and disable users over SCIM. */
export function ProvisioningPage() {
  const clients = useApi("GET /admin/api/scim-clients", {});
  const [isAdding, setAdding] = useState(false);
  const [shown, setShown] = useState<CreatedScimClient | null>(null);
  return (
    <UsersFrame
      tab="/admin/users/provisioning"
      lead="Identity providers that make, change and disable users by SCIM 2.0."
      actions={
        <Button leftSection={<Icon name="plus" />} onClick={() => setAdding(true)}>
          Add a client
        </Button>
      }
    >
      <Loaded
        of={clients}
        what="The SCIM clients"
        skeleton={<TableSkeleton columns={clientColumns} lines={3} />}
      >
        {({ clients: list, address }) => (
          <>
            <Address address={address} />
            <ClientList clients={list} onToken={setShown} />
          </>
        )}
      </Loaded>
      {isAdding && (
        <AddClientDialog
          onClose={() => setAdding(false)}
          onAdded={(made) => {
            setAdding(false);
            setShown(made);
          }}
        />
      )}
      {shown !== null && (
        <SecretOnce
          title={`Token of ${shown.name}`}
          secret={shown.token}
          what="the token"
          onClose={() => setShown(null)}
        >
          Give this token to the provider as its secret or bearer token. It is not shown again.
        </SecretOnce>
      )}
    </UsersFrame>
  );
}

function Address({ address }: { address: string }) {
  return (
    <p>
      The provider calls <code>{address}</code> <CopyButton text={address} what="the address" />
    </p>
  );
}

type ListProps = {
  clients: readonly ScimClient[];
  onToken: (made: CreatedScimClient) => void;
};

function ClientList({ clients, onToken }: ListProps) {
  if (clients.length > 0) return <ClientTable clients={clients} onToken={onToken} />;
  return (
    <EmptyState icon="users" title="No SCIM clients yet">
      With one, the users of your identity provider are made and disabled here without a sign-in.
    </EmptyState>
  );
}
