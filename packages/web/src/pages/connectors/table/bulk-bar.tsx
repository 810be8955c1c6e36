import { Button } from "@mantine/core";
import { useState } from "react";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { formatCount, formatNumber } from "../../../ui/text/format.ts";
import { BulkTag } from "./bulk-tag.tsx";
import styles from "./row-table.module.css";
import type { useBulk } from "./use-bulk.ts";
import type { useSelection } from "./use-selection.ts";

type Props = {
  selection: ReturnType<typeof useSelection>;
  matching: number;
  loaded: number;
  bulk: ReturnType<typeof useBulk>;
};

/** What can be done with the chosen rows. It stands where the number of rows was, so nothing moves. */
export function BulkBar({ selection, matching, loaded, bulk }: Props) {
  const { chosen } = selection;
  const [dialog, setDialog] = useState<"add_tag" | "remove_tag" | "approve_reads" | null>(null);
  const button = { size: "compact-sm", variant: "default", disabled: bulk.isBusy } as const;
  return (
    <div className={styles.bulk} role="group" aria-label="Chosen rows">
      <strong role="status">{`${formatNumber(chosen)} chosen`}</strong>
      {loaded < matching && chosen < matching && (
        <Button size="compact-sm" variant="subtle" onClick={selection.pickMatching}>
          {`Choose all ${formatNumber(matching)} that match`}
        </Button>
      )}
      <Button {...button} onClick={() => void bulk.run({ do: "enable" })}>
        Enable
      </Button>
      <Button {...button} onClick={() => void bulk.run({ do: "disable" })}>
        Disable
      </Button>
      <Button {...button} onClick={() => setDialog("add_tag")}>
        Add tag
      </Button>
      <Button {...button} onClick={() => setDialog("remove_tag")}>
        Remove tag
      </Button>
      <Button {...button} onClick={() => setDialog("approve_reads")}>
        Approve reads
      </Button>
      <Button size="compact-sm" variant="subtle" onClick={selection.clear}>
        Choose none
      </Button>
      {(dialog === "add_tag" || dialog === "remove_tag") && (
        <BulkTag
          rows={chosen}
          isAdding={dialog === "add_tag"}
          onClose={() => setDialog(null)}
          onTag={(tag) => {
            setDialog(null);
            void bulk.run({ do: dialog, tag });
          }}
        />
      )}
      <ConfirmDialog
        isOpen={dialog === "approve_reads"}
        title={`Approve reads of ${formatCount(chosen, "row")}?`}
        action="Approve"
        onClose={() => setDialog(null)}
        onConfirm={() => {
          setDialog(null);
          void bulk.run({ do: "approve_reads" });
        }}
      >
        Clients can then call the operations of these rows that wait for a review and only read.
        What changes something still waits.
      </ConfirmDialog>
    </div>
  );
}
