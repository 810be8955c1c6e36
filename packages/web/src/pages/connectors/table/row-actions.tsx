import type { ListedRow } from "@hub/contract/listed-row.ts";
import { useChange } from "../../../api/use-api.ts";
import { IconButton } from "../../../ui/controls/icon-button.tsx";
import { useToast } from "../../../ui/dialogs/toasts.tsx";
import { useMadeFrom } from "../../rows/use-made-from.ts";
import styles from "./row-table.module.css";

const refreshes = [
  "GET /manager/api/rows",
  "GET /manager/api/connectors",
  "GET /manager/api/connectors/{key}",
] as const;

/** Duplicates, disables or enables one row. */
export function RowActions({ row: { id, connector, label, disabled } }: { row: ListedRow }) {
  const madeFrom = useMadeFrom(connector);
  const toast = useToast();
  const params = { params: { row: id } };
  const onFailed = (error: Error) => toast({ kind: "error", text: error.message });
  const duplicate = useChange("POST /manager/api/rows/{row}/duplicate", {
    refreshes,
    onFailed,
    onDone: (copy) =>
      toast({ text: `${copy.label} is made. It is disabled, and its secrets must be set.` }),
  });
  const enable = useChange("POST /manager/api/rows/{row}/enable", {
    refreshes,
    onFailed,
    onDone: () => toast({ text: `${label} is enabled.` }),
  });
  const disable = useChange("POST /manager/api/rows/{row}/disable", {
    refreshes,
    onFailed,
    onDone: () => toast({ text: `${label} is disabled.`, onUndo: () => enable.run(params) }),
  });
  const isBusy = duplicate.isPending || enable.isPending || disable.isPending;
  return (
    <span className={styles.buttons}>
      {madeFrom === null && (
        <IconButton
          icon="copy"
          label={`Duplicate ${label}`}
          disabled={isBusy}
          onClick={() => duplicate.run({ ...params, body: {} })}
        />
      )}
      <IconButton
        icon={disabled ? "play" : "stop"}
        label={`${disabled ? "Enable" : "Disable"} ${label}`}
        disabled={isBusy}
        onClick={() => (disabled ? enable : disable).run(params)}
      />
    </span>
  );
}
