import type { User } from "@hub/contract/user.ts";
import { Button } from "@mantine/core";
import { useChange } from "../../api/use-api.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { userRoutes } from "./user-routes.ts";

/** Lets a user in who has signed in by single sign-on and waits. */
export function ApproveButton({ user: { id, email } }: { user: User }) {
  const toast = useToast();
  const approve = useChange("POST /admin/api/users/{user}/enable", {
    refreshes: userRoutes,
    onDone: () => toast({ text: `${email} can use the hub now.` }),
    onFailed: ({ message }) => toast({ kind: "error", text: message }),
  });
  return (
    <Button
      size="compact-xs"
      variant="default"
      aria-label={`Approve ${email}`}
      loading={approve.isPending}
      onClick={() => approve.run({ params: { user: id } })}
    >
      Approve
    </Button>
  );
}
