import { Button } from "@mantine/core";
import { useState } from "react";
import type { Answer } from "../../api/call-api.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { formatCount } from "../../ui/text/format.ts";
import { useTypeSwitch } from "./use-type-switch.ts";

type Connector = Answer<"GET /manager/api/connectors/{key}">;

/** Disables a connector type with all its rows, or enables it again. */
export function TypeSwitch({ connector }: { connector: Connector }) {
  const { name, disabled_type: isDisabled, rows, operation_count } = connector;
  const [isAsking, setAsking] = useState(false);
  const { isBusy, run } = useTypeSwitch(connector, { onEnd: () => setAsking(false) });
  return (
    <>
      <Button
        variant="default"
        leftSection={<Icon name={isDisabled ? "play" : "stop"} />}
        loading={isBusy && !isAsking}
        onClick={() => (isDisabled ? run() : setAsking(true))}
      >
        {isDisabled ? "Enable connector" : "Disable connector"}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        title={`Disable ${name}?`}
        action="Disable connector"
        isBusy={isBusy}
        onConfirm={run}
        onClose={() => setAsking(false)}
      >
        {`Its ${formatCount(rows, "row")} with ${formatCount(operation_count, "operation")} disappear from every client at once. Settings and secrets stay, and you can enable it again.`}
      </ConfirmDialog>
    </>
  );
}
