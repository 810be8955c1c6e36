import type { WorkflowDetail, WorkflowSecret } from "@hub/contract/workflow.ts";
import { Alert, Button, Group } from "@mantine/core";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { StateBadge } from "../../ui/badges/state-badge.tsx";
import { Icon } from "../../ui/controls/icon.tsx";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { EmptyState } from "../../ui/page/empty-state.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { TableSkeleton } from "../../ui/tables/table-skeleton.tsx";
import { TimeAt } from "../../ui/text/time-at.tsx";
import { SecretDialog } from "../../workflow-parts/secret-dialog.tsx";
import { workflowRoutes } from "../../workflow-parts/workflow-routes.ts";

/** The secrets of a workflow by name: those that are set, and those that its body needs. */
export function SecretsTab({ workflow }: { workflow: WorkflowDetail }) {
  const toast = useToast();
  const params = { workflow: workflow.id };
  const mayChange = workflow.access === "manage";
  const secrets = useApi("GET /manager/api/workflows/{workflow}/secrets", { params });
  const [edited, setEdited] = useState<WorkflowSecret | "new" | null>(null);
  const [cleared, setCleared] = useState<WorkflowSecret | null>(null);
  const clear = useChange("DELETE /manager/api/workflows/{workflow}/secrets/{secret}", {
    refreshes: workflowRoutes,
    onDone(_, { params: { secret } }) {
      setCleared(null);
      toast({ text: `The secret ${secret} is cleared.` });
    },
    onFailed({ message }) {
      setCleared(null);
      toast({ kind: "error", text: message });
    },
  });
  const add = mayChange && (
    <Button
      variant="default"
      leftSection={<Icon name="plus" />}
      onClick={() => setEdited("new")}
      mb="md"
    >
      Add a secret
    </Button>
  );
  return (
    <Loaded
      of={secrets}
      what="The secrets"
      skeleton={
        <TableSkeleton
          columns={toColumns(mayChange, { onEdit: setEdited, onClear: setCleared })}
          lines={4}
        />
      }
    >
      {({ secrets: found }) => {
        const missing = found.filter((one) => one.is_used && !one.is_set);
        return (
          <>
            {missing.length > 0 && (
              <Alert color="yellow" mb="md" title="Secrets are missing">
                {`The workflow needs ${missing.map(({ name }) => name).join(", ")}. Runs that use a missing secret fail, and webhooks that are signed with one refuse every request.`}
              </Alert>
            )}
            {found.length === 0 ? (
              <EmptyState icon="key" title="No secrets" action={add}>
                Templates use a secret as .Secret.NAME, and webhooks check signatures with one. Its
                value is never shown.
              </EmptyState>
            ) : (
              <>
                {add}
                <DataTable
                  label="Secrets"
                  rows={found}
                  columns={toColumns(mayChange, { onEdit: setEdited, onClear: setCleared })}
                  toKey={({ name }) => name}
                />
              </>
            )}
            {edited !== null && (
              <SecretDialog
                workflow={workflow.id}
                secret={edited === "new" ? null : edited}
                onClose={() => setEdited(null)}
              />
            )}
            {cleared !== null && (
              <ConfirmDialog
                isOpen
                title={`Clear ${cleared.name}?`}
                action="Clear"
                name={cleared.name}
                isBusy={clear.isPending}
                onConfirm={() => clear.run({ params: { ...params, secret: cleared.name } })}
                onClose={() => setCleared(null)}
              >
                {`Its value is lost.${cleared.is_used ? " The workflow needs it: runs that use it fail." : ""}`}
              </ConfirmDialog>
            )}
          </>
        );
      }}
    </Loaded>
  );
}

type Handlers = {
  onEdit: (secret: WorkflowSecret) => void;
  onClear: (secret: WorkflowSecret) => void;
};

function toColumns(mayChange: boolean, { onEdit, onClear }: Handlers) {
  const columns: Array<Column<WorkflowSecret>> = [
    {
      key: "name",
      header: "Name",
      width: "minmax(8rem, 2fr)",
      render: ({ name }) => <code>{name}</code>,
    },
    {
      key: "state",
      header: "State",
      width: "minmax(7rem, 1fr)",
      render: (secret) => <SecretState secret={secret} />,
    },
    {
      key: "used",
      header: "Needed",
      width: "minmax(6rem, 1fr)",
      isWideOnly: true,
      render: ({ is_used: isUsed }) => (isUsed ? "By the workflow" : "Not needed"),
    },
    {
      key: "updated",
      header: "Set",
      width: "8.5rem",
      align: "end",
      isWideOnly: true,
      render: ({ updated_at: at }) => (at === null ? "–" : <TimeAt at={at} />),
    },
  ];
  if (!mayChange) return columns;
  columns.push({
    key: "action",
    header: "Action",
    width: "9rem",
    align: "end",
    render: (secret) => (
      <Group gap="xs" justify="flex-end" wrap="nowrap">
        <Button
          size="compact-xs"
          variant="default"
          aria-label={`${secret.is_set ? "Replace" : "Set"} ${secret.name}`}
          onClick={() => onEdit(secret)}
        >
          {secret.is_set ? "Replace" : "Set"}
        </Button>
        {secret.is_set && (
          <Button
            size="compact-xs"
            variant="danger"
            aria-label={`Clear ${secret.name}`}
            onClick={() => onClear(secret)}
          >
            Clear
          </Button>
        )}
      </Group>
    ),
  });
  return columns;
}

function SecretState({ secret: { is_set: isSet, is_used: isUsed } }: { secret: WorkflowSecret }) {
  if (isSet) return <StateBadge tone="good" text="Set" />;
  return <StateBadge tone={isUsed ? "bad" : "off"} text={isUsed ? "Missing" : "Not set"} />;
}
