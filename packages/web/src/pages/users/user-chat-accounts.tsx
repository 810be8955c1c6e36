import type { User } from "@hub/contract/user.ts";
import { useApi, useChange } from "../../api/use-api.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { Card } from "../../ui/page/card.tsx";
import { ChatAccountTable } from "../chat-accounts/chat-account-table.tsx";

/** The chat accounts that a user has linked. Nothing is shown if there are none. */
export function UserChatAccounts({ user }: { user: User }) {
  const toast = useToast();
  const params = { user: user.id };
  const { data } = useApi("GET /admin/api/users/{user}/chat-accounts", { params });
  const unlink = useChange("DELETE /admin/api/users/{user}/chat-accounts/{account}", {
    refreshes: [
      "GET /admin/api/users/{user}",
      "GET /admin/api/users/{user}/chat-accounts",
      "GET /admin/api/changes",
    ],
    onDone: () => toast({ text: "The chat account is unlinked." }),
    onFailed: ({ message }) => toast({ kind: "error", text: message }),
  });
  const accounts = data?.accounts ?? [];
  if (accounts.length === 0) return null;
  return (
    <Card title="Chat accounts">
      <ChatAccountTable
        accounts={accounts}
        warning={`What this account says no longer counts as said by ${user.email}, who can link it again.`}
        isBusy={unlink.isPending}
        onUnlink={({ id }, onEnd) => {
          unlink.run({ params: { ...params, account: id } });
          onEnd();
        }}
      />
    </Card>
  );
}
