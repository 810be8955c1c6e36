import { Alert, Button, Modal, PasswordInput, Stack, Text } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { openDoor, type SignInDoor, signIn } from "./sign-in-door.ts";

type Props = {
  email: string;
  onDone: () => void;
};

/** Signs in again above the page, which keeps what the user has typed. */
export function SignInDialog({ email, onDone }: Props) {
  const [door, setDoor] = useState<SignInDoor | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  // Also when the user comes back from the window of the single sign-on.
  useEffect(() => {
    const look = async () => {
      try {
        const found = await openDoor();
        if (found === null) onDone();
        else setDoor(found);
      } catch {
        setFault("The hub does not answer. Try again.");
      }
    };
    void look();
    window.addEventListener("focus", look);
    return () => window.removeEventListener("focus", look);
  }, [onDone]);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const password = String(new FormData(event.currentTarget).get("password") ?? "");
    setBusy(true);
    try {
      const current = door ?? (await openDoor());
      const refused = current === null ? null : await signIn(current, { email, password });
      if (refused === null) onDone();
      else setFault(refused);
    } catch {
      setFault("The hub does not answer. Try again.");
    } finally {
      setBusy(false);
    }
  };

  return (
    <Modal opened onClose={() => {}} withCloseButton={false} title="Sign in again" centered>
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">Your session has ended. This page keeps what you have entered.</Text>
          {fault !== null && (
            <Alert color="red" role="alert">
              {fault}
            </Alert>
          )}
          <input type="hidden" name="email" autoComplete="username" value={email} />
          <PasswordInput
            name="password"
            label={`Password of ${email}`}
            autoComplete="current-password"
            required
            data-autofocus
          />
          <Button type="submit" loading={isBusy}>
            Sign in
          </Button>
          {door?.singleSignOn && (
            <Button component="a" variant="default" href={door.singleSignOn.href} target="_blank">
              Continue with {door.singleSignOn.name} in a new window
            </Button>
          )}
          <Text size="sm" c="dimmed">
            Not {email}? <a href="/auth/login">Open the sign-in page</a>. What you have entered here
            is lost then.
          </Text>
        </Stack>
      </form>
    </Modal>
  );
}
