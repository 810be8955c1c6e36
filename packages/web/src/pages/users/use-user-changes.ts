import type { User } from "@hub/contract/user.ts";
import { useChange } from "../../api/use-api.ts";
import { useToast } from "../../ui/dialogs/toasts.tsx";
import { userRoutes } from "./user-routes.ts";

type Handlers = {
  /** Closes the question that was asked before a change. */
  close: () => void;
  onSecret: (password: string) => void;
};

export type UserChanges = ReturnType<typeof useUserChanges>;

/** The changes of an account as a whole, and what is said when they are done. */
export function useUserChanges(user: User, { close, onSecret }: Handlers) {
  const toast = useToast();
  const params = { user: user.id };
  const enable = useChange("POST /admin/api/users/{user}/enable", {
    refreshes: userRoutes,
    onDone: () => toast({ text: `${user.email} can use the hub now.` }),
  });
  const disable = useChange("POST /admin/api/users/{user}/disable", {
    refreshes: userRoutes,
    onDone() {
      close();
      toast({ text: `${user.email} is disabled.`, onUndo: () => enable.run({ params }) });
    },
    onFailed: close,
  });
  const unlock = useChange("POST /admin/api/users/{user}/unlock", {
    refreshes: userRoutes,
    onDone: () => toast({ text: `${user.email} can try to sign in again.` }),
  });
  const password = useChange("POST /admin/api/users/{user}/one-time-password", {
    refreshes: userRoutes,
    onDone({ one_time_password: made }) {
      close();
      onSecret(made);
    },
    onFailed: close,
  });
  const endSessions = useChange("POST /admin/api/users/{user}/sessions/end", {
    refreshes: userRoutes,
    onDone({ ended }) {
      close();
      toast({
        text: ended === 1 ? "1 browser is signed out." : `${ended} browsers are signed out.`,
      });
    },
    onFailed: close,
  });
  return { enable, disable, unlock, password, endSessions };
}
