import type { User } from "@hub/contract/user.ts";
import { Button } from "@mantine/core";
import { useState } from "react";
import { useMe } from "../../api/use-me.ts";
import { Icon } from "../../ui/controls/icon.tsx";
import { ConfirmDialog } from "../../ui/dialogs/confirm-dialog.tsx";
import { Failure } from "../../ui/page/failure.tsx";
import { OneTimePassword } from "./add-user-dialog.tsx";
import { type UserChanges, useUserChanges } from "./use-user-changes.ts";

type Asked = "disable" | "password" | "sessions" | null;

/** What an admin does to the account as a whole. */
export function UserActions({ user }: { user: User }) {
  const me = useMe();
  const [asked, setAsked] = useState<Asked>(null);
  const [secret, setSecret] = useState<string | null>(null);
  const close = () => setAsked(null);
  const changes = useUserChanges(user, { close, onSecret: setSecret });
  const { enable, disable, unlock, password, endSessions } = changes;
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
        <Button variant="danger" onClick={() => setAsked("disable")}>
          Disable
        </Button>
      )}
      <Failure
        of={enable.error ?? disable.error ?? unlock.error ?? password.error ?? endSessions.error}
      />
      <Questions user={user} asked={asked} changes={changes} self={self} onClose={close} />
      {secret !== null && (
        <OneTimePassword email={user.email} secret={secret} onClose={() => setSecret(null)} />
      )}
    </>
  );
}

type QuestionsProps = {
  user: User;
  asked: Asked;
  changes: UserChanges;
  /** A sentence if the account is that of the admin. */
  self: string;
  onClose: () => void;
};

function Questions({ user, asked, changes, self, onClose }: QuestionsProps) {
  const { disable, password, endSessions } = changes;
  const params = { user: user.id };
  return (
    <>
      <ConfirmDialog
        isOpen={asked === "disable"}
        title={`Disable ${user.email}?`}
        action="Disable"
        isDangerous
        isBusy={disable.isPending}
        onConfirm={() => disable.run({ params })}
        onClose={onClose}
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
        onClose={onClose}
      >
        Their present password stops working, and their browsers are signed out.{self}
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asked === "sessions"}
        title={`Sign out all browsers of ${user.email}?`}
        action="Sign out"
        isBusy={endSessions.isPending}
        onConfirm={() => endSessions.run({ params })}
        onClose={onClose}
      >
        They must sign in again. Tokens and applications go on.{self}
      </ConfirmDialog>
    </>
  );
}
