import { useChange } from "../../api/use-api.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import type { ShownRow } from "./shown-row.ts";

const refreshes = ["GET /manager/api/rows/{row}", "GET /manager/api/rows"] as const;

/** Enables a disabled row, and disables any other. A message says so, with Undo after a disable. */
export function useRowSwitch({ id, label, disabled }: Pick<ShownRow, "id" | "label" | "disabled">) {
  const toast = useToast();
  const params = { params: { row: id } };
  const onFailed = ({ message }: Error) => toast({ kind: "error", text: message });
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
  return {
    isBusy: enable.isPending || disable.isPending,
    run: () => (disabled ? enable : disable).run(params),
  };
}
