import type { SecretRead, SecretReference, SecretSource } from "@hub/contract/secret-source.ts";
import { sourceKindNames } from "@hub/contract/secret-source-kinds.ts";
import { Button, Group } from "@mantine/core";
import { useState } from "react";
import { useApi, useChange } from "../../api/use-api.ts";
import { StateBadge } from "../../ui/badges/state-badge.tsx";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { type Column, DataTable } from "../../ui/tables/data-table.tsx";
import { ReferenceDialog } from "./reference-dialog.tsx";
import { secretRoutes } from "./secret-routes.ts";
import { SourceDialog } from "./source-dialog.tsx";
import { UseDialog } from "./use-dialog.tsx";

type Open =
  | { kind: "source"; source: SecretSource | null }
  | { kind: "reference"; reference: SecretReference | null }
  | { kind: "use"; reference: SecretReference }
  | { kind: "delete"; reference: SecretReference }
  | { kind: "delete source"; source: SecretSource };

/** Secret managers, and the references by which rows and workflows get their secrets. */
export function SecretManagersPage() {
  const sources = useApi("GET /admin/api/secret-sources", {});
  const references = useApi("GET /admin/api/secret-references", {});
  const [open, setOpen] = useState<Open | null>(null);
  const close = () => setOpen(null);
  return (
    <Page
      title="Secret managers"
      lead="Rows and workflows get secrets from here. The hub keeps them for minutes, in memory only."
    >
      <Card
        title="Managers"
        actions={
          <Button size="compact-sm" onClick={() => setOpen({ kind: "source", source: null })}>
            Add a manager
          </Button>
        }
      >
        <Loaded of={sources} what="The secret managers" skeleton={<PageSkeleton lines={3} />}>
          {({ sources }) =>
            sources.length === 0 ? (
              <p>There is no secret manager yet.</p>
            ) : (
              <DataTable
                label="Managers"
                rows={sources}
                columns={toSourceColumns(setOpen)}
                toKey={({ id }) => id}
              />
            )
          }
        </Loaded>
      </Card>
      <Card
        title="References"
        actions={
          (sources.data?.sources.length ?? 0) > 0 && (
            <Button
              size="compact-sm"
              onClick={() => setOpen({ kind: "reference", reference: null })}
            >
              Add a reference
            </Button>
          )
        }
      >
        <Loaded of={references} what="The references" skeleton={<PageSkeleton lines={4} />}>
          {({ references }) =>
            references.length === 0 ? (
              <p>A reference says which secret rows and workflows may use, and where it may go.</p>
            ) : (
              <DataTable
                label="References"
                rows={references}
                columns={toReferenceColumns(setOpen)}
                toKey={({ id }) => id}
              />
            )
          }
        </Loaded>
      </Card>
      {open?.kind === "source" && <SourceDialog source={open.source} onClose={close} />}
      {open?.kind === "reference" && (
        <ReferenceDialog
          reference={open.reference}
          sources={sources.data?.sources ?? []}
          onClose={close}
        />
      )}
      {open?.kind === "use" && <UseDialog reference={open.reference} onClose={close} />}
      {(open?.kind === "delete" || open?.kind === "delete source") && (
        <DeleteDialog open={open} onClose={close} />
      )}
    </Page>
  );
}

function toSourceColumns(onOpen: (open: Open) => void): ReadonlyArray<Column<SecretSource>> {
  return [
    {
      key: "name",
      header: "Name",
      width: "minmax(7rem, 1fr)",
      render: ({ name }) => <bdi>{name}</bdi>,
    },
    {
      key: "kind",
      header: "Manager",
      width: "minmax(8rem, 1fr)",
      isWideOnly: true,
      render: ({ settings }) => sourceKindNames[settings.kind],
    },
    {
      key: "prefixes",
      header: "Reads below",
      width: "minmax(7rem, 1fr)",
      isWideOnly: true,
      render: ({ prefixes }) => <bdi>{prefixes.join(", ")}</bdi>,
    },
    {
      key: "state",
      header: "Last read",
      width: "8rem",
      render: ({ last_read: read }) => <ReadState read={read} />,
    },
    {
      key: "actions",
      header: "Actions",
      width: "10rem",
      render: (source) => (
        <Group gap="xs" wrap="nowrap">
          <Button
            size="compact-sm"
            variant="default"
            onClick={() => onOpen({ kind: "source", source })}
          >
            Change
          </Button>
          {source.references === 0 && (
            <Button
              size="compact-sm"
              variant="default"
              onClick={() => onOpen({ kind: "delete source", source })}
            >
              Delete
            </Button>
          )}
        </Group>
      ),
    },
  ];
}

function toReferenceColumns(onOpen: (open: Open) => void): ReadonlyArray<Column<SecretReference>> {
  return [
    {
      key: "name",
      header: "Name",
      width: "minmax(7rem, 1fr)",
      render: ({ name, path }) => <bdi title={path}>{name}</bdi>,
    },
    {
      key: "places",
      header: "May go to",
      width: "minmax(8rem, 1fr)",
      isWideOnly: true,
      render: showDestinations,
    },
    {
      key: "uses",
      header: "Used by",
      width: "minmax(7rem, 1fr)",
      isWideOnly: true,
      render: ({ used_by: uses }) => (
        <bdi>{uses.map(({ name }) => name).join(", ") || "Nothing"}</bdi>
      ),
    },
    {
      key: "state",
      header: "Last read",
      width: "8rem",
      render: ({ last_read: read }) => <ReadState read={read} />,
    },
    {
      key: "actions",
      header: "Actions",
      width: "18rem",
      render: (reference) => <ReferenceActions reference={reference} onOpen={onOpen} />,
    },
  ];
}

function showDestinations({ rows, hosts }: SecretReference) {
  const changed = rows.filter(({ is_current: isCurrent }) => !isCurrent).length;
  const names = [...rows.map(({ id, label }) => label ?? id.slice(0, 8)), ...hosts];
  return (
    <>
      <bdi>{names.join(", ") || "Nothing"}</bdi>
      {changed > 0 && <StateBadge tone="warn" text="Address changed" />}
    </>
  );
}

const readTexts = {
  read: { tone: "good", text: "Read" },
  away: { tone: "warn", text: "Away" },
  refused: { tone: "bad", text: "Refused" },
  absent: { tone: "bad", text: "Absent" },
  bad: { tone: "bad", text: "Unusable" },
} as const;

function ReadState({ read }: { read: SecretRead | null }) {
  if (read === null) return <StateBadge tone="off" text="Not read" />;
  return (
    <span title={read.reason ?? read.at}>
      <StateBadge {...readTexts[read.outcome]} />
    </span>
  );
}

type ActionProps = { reference: SecretReference; onOpen: (open: Open) => void };

function ReferenceActions({ reference, onOpen }: ActionProps) {
  const toast = useToast();
  const refresh = useChange("POST /admin/api/secret-references/{reference}/refresh", {
    refreshes: secretRoutes,
    onDone: ({ outcome, reason }) =>
      toast({
        text: outcome === "read" ? `${reference.name} is read.` : `${reference.name}: ${reason}.`,
      }),
  });
  const button = { size: "compact-sm", variant: "default" } as const;
  return (
    <Group gap="xs" wrap="wrap">
      <Button {...button} onClick={() => onOpen({ kind: "use", reference })}>
        Use in a row
      </Button>
      <Button
        {...button}
        loading={refresh.isPending}
        onClick={() => refresh.run({ params: { reference: reference.id } })}
      >
        Read now
      </Button>
      <Button {...button} onClick={() => onOpen({ kind: "reference", reference })}>
        Change
      </Button>
      <Button {...button} onClick={() => onOpen({ kind: "delete", reference })}>
        Delete
      </Button>
    </Group>
  );
}

type DeleteProps = {
  open: Extract<Open, { kind: "delete" | "delete source" }>;
  onClose: () => void;
};

function DeleteDialog({ open, onClose }: DeleteProps) {
  const options = { refreshes: secretRoutes, onDone: onClose };
  const ofReference = useChange("DELETE /admin/api/secret-references/{reference}", options);
  const ofSource = useChange("DELETE /admin/api/secret-sources/{source}", options);
  const name = open.kind === "delete" ? open.reference.name : open.source.name;
  const confirm = () =>
    open.kind === "delete"
      ? ofReference.run({ params: { reference: open.reference.id } })
      : ofSource.run({ params: { source: open.source.id } });
  return (
    <ConfirmDialog
      isOpen
      title={`Delete ${name}?`}
      action="Delete"
      isDangerous
      isBusy={ofReference.isPending || ofSource.isPending}
      onConfirm={confirm}
      onClose={onClose}
    >
      {open.kind === "delete"
        ? "Rows and workflows that name it need another value then."
        : "Its credentials are deleted here. The manager keeps its secrets."}
    </ConfirmDialog>
  );
}
