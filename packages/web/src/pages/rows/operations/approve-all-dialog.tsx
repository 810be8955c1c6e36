import { Alert, Checkbox } from "@mantine/core";
import type { ComponentProps } from "react";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { formatCount, formatNumber } from "../../../ui/text/format.ts";

type Props = Pick<
  ComponentProps<typeof ConfirmDialog>,
  "title" | "action" | "isBusy" | "onConfirm" | "onClose"
> & {
  isAsking: boolean;
  /** How many operations wait, and how many of them have warnings. */
  waiting: number;
  warned: number;
  isSure: boolean;
  setSure: (isSure: boolean) => void;
};

/** Asks before all operations are approved. */
export function ApproveAllDialog(props: Props) {
  const { isAsking, title, action, isBusy, onConfirm, onClose } = props;
  const { waiting, warned, isSure, setSure } = props;
  return (
    <ConfirmDialog
      isOpen={isAsking}
      title={title}
      action={action}
      isBusy={isBusy}
      onConfirm={onConfirm}
      onClose={onClose}
      isReady={warned === 0 || isSure}
    >
      <p>
        {`Clients that see this row can call ${waiting === 1 ? "it" : `all ${formatNumber(waiting)}`} at once, also what you have not looked at. Do it only if you trust the outside system.`}
      </p>
      {warned > 0 && (
        <>
          <Alert color="yellow" mb="sm">
            {`${formatCount(warned, "operation")} ${warned === 1 ? "has" : "have"} warnings, for example that a text gives orders to the model. Close this and press Warnings to read ${warned === 1 ? "it" : "them"}.`}
          </Alert>
          <Checkbox
            label={`Approve ${warned === 1 ? "the one" : `the ${formatNumber(warned)}`} with warnings, too`}
            checked={isSure}
            onChange={(event) => setSure(event.currentTarget.checked)}
          />
        </>
      )}
    </ConfirmDialog>
  );
}
