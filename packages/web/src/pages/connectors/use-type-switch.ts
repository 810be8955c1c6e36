import { useChange } from "../../api/use-api.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";

const refreshes = [
  "GET /manager/api/connectors",
  "GET /manager/api/connectors/{key}",
  "GET /manager/api/rows",
  "GET /admin/api/changes",
] as const;

type Switched = { key: string; name: string; disabled_type: boolean };

/** Enables a disabled connector type, and disables any other. A message says so, with Undo after a disable. */
export function useTypeSwitch(type: Switched, { onEnd }: { onEnd?: () => void } = {}) {
  const { key, name, disabled_type: isDisabled } = type;
  const toast = useToast();
  const params = { params: { key } };
  const onFailed = ({ message }: Error) => {
    onEnd?.();
    toast({ kind: "error", text: message });
  };
  const enable = useChange("POST /manager/api/connectors/{key}/type-enable", {
    refreshes,
    onFailed,
    onDone: () => toast({ text: `${name} is enabled.` }),
  });
  const disable = useChange("POST /manager/api/connectors/{key}/type-disable", {
    refreshes,
    onFailed,
    onDone() {
      onEnd?.();
      toast({ text: `${name} is disabled for every client.`, onUndo: () => enable.run(params) });
    },
  });
  return {
    isBusy: enable.isPending || disable.isPending,
    run: () => (isDisabled ? enable : disable).run(params),
  };
}
