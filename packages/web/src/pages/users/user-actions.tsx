import type { User } from "@hub/contract/user.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../api/use-api.ts";
import { useMe } from "../../api/use-me.ts";
import { ConfirmDialog } from "../../ui/confirm-dialog.tsx";
import { Failure } from "../../ui/failure.tsx";
import { Icon } from "../../ui/icon.tsx";
import { useToast } from "../../ui/toasts.tsx";
import { OneTimePassword } from "./add-user-dialog.tsx";
import { userRoutes } from "./user-routes.ts";

type Asked = "disable" | "password" | "sessions" | null;

/** What an admin does to the account as a whole. */
export function UserActions({ user }: { user: User }) {
  const me = useMe();
  const toast = useToast();
  const [asked, setAsked] = useState<Asked>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setAsked(null);
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
      setSecret(made);
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
  const params = { user: user.id };
  const isSelf = user.id === me.user.id;
  const self = isSelf ? " This is your own account." : "";
  return (
    <>
      {user.status !== "active" && (
        <Button loading={enable.isPending} onClick={() => enable.run({ params })}>
          {user.status === "pending" ? "Approve" : "Enable"}
        </Button>
      )}
      <Button
        variant="default"
        leftSection={<Icon name="key" />}
        onClick={() => setAsked("password")}
      >
        One-time password
      </Button>
      <Button
        variant="default"
        leftSection={<Icon name="unlock" />}
        title="Forgets wrong passwords, so that the user can sign in at once"
        loading={unlock.isPending}
        onClick={() => unlock.run({ params })}
      >
        Unlock
      </Button>
      <Button
        variant="default"
        leftSection={<Icon name="signOut" />}
        onClick={() => setAsked("sessions")}
      >
        Sign out everywhere
      </Button>
      {user.status === "active" && (
        <Button variant="light" color="red" onClick={() => setAsked("disable")}>
          Disable
        </Button>
      )}
      <Failure
        of={enable.error ?? disable.error ?? unlock.error ?? password.error ?? endSessions.error}
      />
      <ConfirmDialog
        isOpen={asked === "disable"}
        title={`Disable ${user.email}?`}
        action="Disable"
        isDangerous
        isBusy={disable.isPending}
        onConfirm={() => disable.run({ params })}
        onClose={close}
      >
        Their browsers are signed out at once. Their tokens and applications do not work until you
        enable the user again.{self}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === "password"}
        title={`Make a one-time password for ${user.email}?`}
        action="Make the password"
        isBusy={password.isPending}
        onConfirm={() => password.run({ params })}
        onClose={close}
      >
        Their present password stops working, and their browsers are signed out.{self}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === "sessions"}
        title={`Sign out all browsers of ${user.email}?`}
        action="Sign out"
        isBusy={endSessions.isPending}
        onConfirm={() => endSessions.run({ params })}
        onClose={close}
      >
        They must sign in again. Tokens and applications go on.{self}
      </ConfirmDialog>
      {secret !== null && (
        <OneTimePassword email={user.email} secret={secret} onClose={() => setSecret(null)} />
      )}
    </>
  );
}
