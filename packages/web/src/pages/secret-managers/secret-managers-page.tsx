import { Button } from "@mantine/core";
import { useState } from "react";
import { useApi } from "../../api/use-api.ts";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { DataTable } from "../../ui/tables/data-table.tsx";
import { DeleteDialog } from "./delete-dialog.tsx";
import type { OpenDialog } from "./open-dialog.ts";
import { toReferenceColumns } from "./reference-columns.tsx";
import { ReferenceDialog } from "./reference-dialog.tsx";
import { toSourceColumns } from "./source-columns.tsx";
import { SourceDialog } from "./source-dialog.tsx";
import { UseDialog } from "./use-dialog.tsx";

/** Secret managers, and the references by which rows and workflows get their secrets. */
export function SecretManagersPage() {
  const sources = useApi("GET /admin/api/secret-sources", {});
  const references = useApi("GET /admin/api/secret-references", {});
  const [open, setOpen] = useState<OpenDialog | null>(null);
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
