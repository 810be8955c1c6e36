import { Alert, Checkbox } from "@mantine/core";
import type { ComponentProps } from "react";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { formatNumber } from "../../../ui/text/format.ts";
import { count } from "../../connectors/connector-card.tsx";

type Props = Pick<
  ComponentProps<typeof ConfirmDialog>,
  "title" | "action" | "isBusy" | "onConfirm" | "onClose"
> & {
  isAsking: boolean;
  /** How many operations wait, and how many of them the page shows. */
  waiting: number;
  shown: number;
  /** Those with warnings on other pages, which the admin cannot have seen. */
  unseen: number;
  isSure: boolean;
  setSure: (isSure: boolean) => void;
};

/** Asks before all operations are approved, also those of other pages. */
export function ApproveAllDialog(props: Props) {
  const { isAsking, title, action, isBusy, onConfirm, onClose } = props;
  const { waiting, shown, unseen, isSure, setSure } = props;
  return (
    <ConfirmDialog
      isOpen={isAsking}
      title={title}
      action={action}
      isBusy={isBusy}
      onConfirm={onConfirm}
      onClose={onClose}
      isReady={unseen <= 0 || isSure}
    >
      {shown < waiting ? (
        <p>{`This page shows ${formatNumber(shown)} of them. The others are approved as they are. Do it only if you trust the outside system.`}</p>
      ) : (
        <p>Clients that see this row can call them at once.</p>
      )}
      {unseen > 0 && (
        <>
          <Alert color="yellow" mb="sm">
            {`${count(unseen, "operation")} on other pages ${unseen === 1 ? "has" : "have"} warnings, for example that a text gives orders to the model. Close this and press Warnings to read ${unseen === 1 ? "it" : "them"}.`}
          </Alert>
          <Checkbox
            label={`Approve ${unseen === 1 ? "the one" : `the ${formatNumber(unseen)}`} with warnings on other pages, too`}
            checked={isSure}
            onChange={(event) => setSure(event.currentTarget.checked)}
          />
        </>
      )}
    </ConfirmDialog>
  );
}
