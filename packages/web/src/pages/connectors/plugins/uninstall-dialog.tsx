import { Checkbox } from "@mantine/core";
import { useState } from "react";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import type { CatalogItem } from "../catalog/catalog-items.ts";
import { usePluginWork } from "./plugin-work.ts";
import { usePluginActions } from "./use-plugin-actions.ts";

type Props = {
  item: Pick<CatalogItem, "key" | "name" | "rows">;
  isOpen: boolean;
  onClose: () => void;
};

/** Says what is lost with the plugin, and asks for its key. */
export function UninstallDialog({ item: { key, name, rows }, isOpen, onClose }: Props) {
  const actions = usePluginActions();
  const isBusy = usePluginWork(key)?.state === "running";
  const [withData, setWithData] = useState(false);
  return (
    <ConfirmDialog
      isOpen={isOpen}
      title={`Uninstall ${name}?`}
      action="Uninstall plugin"
      name={key}
      isBusy={isBusy}
      onConfirm={() => void actions.uninstall(key, withData).then(onClose)}
      onClose={onClose}
    >
      <p>The program is deleted, and clients no longer see its operations.</p>
      <p>{describeRows(rows)}</p>
      <Checkbox
        label="Also delete the data that its program has stored"
        description="This cannot be undone."
        checked={withData}
        onChange={(event) => setWithData(event.currentTarget.checked)}
      />
    </ConfirmDialog>
  );
}

function describeRows(rows: number): string {
  if (rows === 0) return "It has no rows.";
  const subject = rows === 1 ? "Its row and its settings" : `Its ${rows} rows and their settings`;
  return `${subject} stay, but cannot be called until the plugin is installed again.`;
}
