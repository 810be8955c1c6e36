import type { ListedRow } from "@hub/contract/listed-row.ts";
import { useChange } from "../../../api/use-api.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { useMadeFrom } from "../../rows/use-made-from.ts";
import { useRowSwitch } from "../../rows/use-row-switch.ts";
import styles from "./row-table.module.css";

const refreshes = [
  "GET /manager/api/rows",
  "GET /manager/api/connectors",
  "GET /manager/api/connectors/{key}",
] as const;

/** Duplicates, disables or enables one row. */
export function RowActions({ row }: { row: ListedRow }) {
  const { id, connector, label, disabled } = row;
  const madeFrom = useMadeFrom(connector);
  const toast = useToast();
  const toggle = useRowSwitch(row);
  const duplicate = useChange("POST /manager/api/rows/{row}/duplicate", {
    refreshes,
    onFailed: ({ message }) => toast({ kind: "error", text: message }),
    onDone: (copy) =>
      toast({ text: `${copy.label} is made. It is disabled, and its secrets must be set.` }),
  });
  const isBusy = duplicate.isPending || toggle.isBusy;
  return (
    <span className={styles.buttons}>
      {madeFrom === null && (
        <IconButton
          icon="copy"
          label={`Duplicate ${label}`}
          disabled={isBusy}
          onClick={() => duplicate.run({ params: { row: id }, body: {} })}
        />
      )}
      <IconButton
        icon={disabled ? "play" : "stop"}
        label={`${disabled ? "Enable" : "Disable"} ${label}`}
        disabled={isBusy}
        onClick={toggle.run}
      />
    </span>
  );
}
