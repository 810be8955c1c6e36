import { Button } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { useState } from "react";
import { useChange } from "../../../api/use-api.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { Card } from "../../../ui/page/card.tsx";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";
import { useMadeFrom } from "../use-made-from.ts";

/** Deletes the row, after a question. */
export function DangerCard({ row }: { row: ShownRow }) {
  const madeFrom = useMadeFrom(row.connector);
  const navigate = useNavigate();
  const [isAsking, setAsking] = useState(false);
  const remove = useChange("DELETE /manager/api/rows/{row}", {
    refreshes: ["GET /manager/api/rows"],
    onDone: () =>
      void navigate({
        to: "/manager/connectors/$key",
        params: { key: row.connector },
        ignoreBlocker: true,
      }),
  });
  return (
    <Card title="Delete this row">
      <p className={styles.lead}>
        {madeFrom === null
          ? "Its settings and secrets are lost. Its recorded calls stay until they are purged."
          : "The next change of its workflow makes it again, so disable it instead to keep it away. Its recorded calls stay until they are purged."}
      </p>
      <Button variant="danger" leftSection={<Icon name="trash" />} onClick={() => setAsking(true)}>
        Delete
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Delete ${row.label}?`}
        action="Delete"
        name={row.label}
        isBusy={remove.isPending}
        onConfirm={() => remove.run({ params: { row: row.id } })}
        onClose={() => setAsking(false)}
      >
        <p>Clients that use it get an error at their next call. This cannot be undone.</p>
        {remove.error !== null && <p role="alert">{remove.error.message}</p>}
      </ConfirmDialog>
    </Card>
  );
}
