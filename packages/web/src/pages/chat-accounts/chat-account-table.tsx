import type { ChatAccount } from "@hub/contract/chat-account.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { DataTable } from "../../ui/tables/data-table.tsx";
import { TimeAt } from "../../ui/text/time-at.tsx";
import { toAccountName, toPlatformName } from "./describe-account.ts";

type Props = {
  accounts: readonly ChatAccount[];
  /** Said before one is unlinked. */
  warning: string;
  isBusy: boolean;
  /** Calls `onEnd` when it is unlinked, or has failed. */
  onUnlink: (account: ChatAccount, onEnd: () => void) => void;
};

/** Linked chat accounts, each with its end. */
export function ChatAccountTable({ accounts, warning, isBusy, onUnlink }: Props) {
  const [asked, setAsked] = useState<ChatAccount | null>(null);
  const close = () => setAsked(null);
  return (
    <>
      <DataTable
        label="Chat accounts"
        rows={accounts}
        toKey={({ id }) => id}
        columns={[
          {
            key: "name",
            header: "Account",
            width: "minmax(8rem, 2fr)",
            render: (account) => (
              <span title={account.account_id}>
                <bdi>{toAccountName(account)}</bdi>
              </span>
            ),
          },
          {
            key: "platform",
            header: "Platform",
            width: "minmax(6rem, 1fr)",
            render: ({ kind }) => toPlatformName(kind),
          },
          {
            key: "team",
            header: "Workspace",
            width: "minmax(6rem, 1fr)",
            isWideOnly: true,
            render: ({ team_name: name, team_id: id }) => <bdi>{name ?? id ?? "–"}</bdi>,
          },
          {
            key: "linked",
            header: "Linked",
            width: "8.5rem",
            align: "end",
            isWideOnly: true,
            render: ({ linked_at: at }) => <TimeAt at={at} />,
          },
          {
            key: "unlink",
            header: "Action",
            width: "5.5rem",
            align: "end",
            render: (account) => (
              <Button size="compact-xs" variant="danger" onClick={() => setAsked(account)}>
                Unlink
              </Button>
            ),
          },
        ]}
      />
      <ConfirmDialog
        isOpen={asked !== null}
        title={`Unlink ${asked === null ? "" : toAccountName(asked)}?`}
        action="Unlink"
        isDangerous
        isBusy={isBusy}
        onConfirm={() => asked !== null && onUnlink(asked, close)}
        onClose={close}
      >
        {warning}
      </ConfirmDialog>
    </>
  );
}
