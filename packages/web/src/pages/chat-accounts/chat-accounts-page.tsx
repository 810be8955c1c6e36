import { useApi, useChange } from "../../api/use-api.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Card } from "../../ui/page/card.tsx";
import { Loaded } from "../../ui/page/loaded.tsx";
import { Page } from "../../ui/page/page-frame.tsx";
import { PageSkeleton } from "../../ui/page/page-skeleton.tsx";
import { ChatAccountTable } from "./chat-account-table.tsx";
import { LinkCard } from "./link-card.tsx";

/** One's own accounts on chat platforms, and how another one is linked. */
export function ChatAccountsPage() {
  const toast = useToast();
  const accounts = useApi("GET /profile/api/chat-accounts", {});
  const unlink = useChange("DELETE /profile/api/chat-accounts/{account}", {
    refreshes: ["GET /profile/api/chat-accounts"],
    onDone: () => toast({ text: "The chat account is unlinked." }),
    onFailed: ({ message }) => toast({ kind: "error", text: message }),
  });
  return (
    <Page
      title="Chat accounts"
      lead="What a linked account says to the bots of this hub counts as said by you."
    >
      <Loaded of={accounts} what="The chat accounts" skeleton={<PageSkeleton lines={4} />}>
        {({ accounts: found, link }) => (
          <>
            <LinkCard link={link} />
            <Card title="Linked accounts">
              {found.length === 0 ? (
                <p>No chat account is linked to you.</p>
              ) : (
                <ChatAccountTable
                  accounts={found}
                  warning="What this account says no longer counts as said by you. You can link it again."
                  isBusy={unlink.isPending}
                  onUnlink={({ id }, onEnd) => {
                    unlink.run({ params: { account: id } });
                    onEnd();
                  }}
                />
              )}
            </Card>
          </>
        )}
      </Loaded>
    </Page>
  );
}
