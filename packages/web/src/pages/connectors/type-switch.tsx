import { Button } from "@mantine/core";
import { useState } from "react";
import type { Answer } from "../../api/call-api.ts";
import { useChange } from "../../api/use-api.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { count } from "./connector-card.tsx";

type Connector = Answer<"GET /manager/api/connectors/{key}">;

/** Disables a connector type with all its rows, or enables it again. */
export function TypeSwitch({ connector }: { connector: Connector }) {
  const { key, name, disabled_type: isDisabled, rows, operation_count } = connector;
  const toast = useToast();
  const [isAsking, setAsking] = useState(false);
  const refreshes = [
    "GET /manager/api/connectors",
    "GET /manager/api/connectors/{key}",
    "GET /manager/api/rows",
  ] as const;
  const params = { params: { key } };
  const onFailed = (error: Error) => {
    setAsking(false);
    toast({ kind: "error", text: error.message });
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
      setAsking(false);
      toast({ text: `${name} is disabled.`, onUndo: () => enable.run(params) });
    },
  });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name={isDisabled ? "play" : "stop"} />}
        loading={enable.isPending}
        onClick={() => (isDisabled ? enable.run(params) : setAsking(true))}
      >
        {isDisabled ? "Enable connector" : "Disable connector"}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Disable ${name}?`}
        action="Disable connector"
        isBusy={disable.isPending}
        onConfirm={() => disable.run(params)}
        onClose={() => setAsking(false)}
      >
        {`Its ${count(rows, "row")} with ${count(operation_count, "operation")} disappear from every client at once. Settings and secrets stay, and you can enable it again.`}
      </ConfirmDialog>
    </>
  );
}
