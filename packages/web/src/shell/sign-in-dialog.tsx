import { Alert, Button, Modal, PasswordInput, Stack, Text, TextInput } from "@mantine/core";
import { type FormEvent, useEffect, useState } from "react";
import { doorPaths, openDoor, passDoor, type SignInDoor, type SignInKind } from "./sign-in-door.ts";

type Props = {
  email: string;
  kind: SignInKind;
  /** `isDone` is false if the user goes back. */
  onDone: (isDone: boolean) => void;
};

const titles = { session: "Sign in again", fresh: "Confirm that it is you" } as const;
const reasons = {
  session: "Your session has ended. This page keeps what you have entered.",
  fresh: "What you want to do needs a fresh sign-in. Then it is done.",
} as const;
const noAnswer = "The hub does not answer. Try again.";

/** Asks who the user is above the page, which keeps what the user has typed. */
export function SignInDialog({ email, kind, onDone }: Props) {
  const [door, setDoor] = useState<SignInDoor | null>(null);
  const [fault, setFault] = useState<string | null>(null);
  const [isBusy, setBusy] = useState(false);

  // Also when the user comes back from the window of the single sign-on or of a passkey.
  useEffect(() => {
    const look = async () => {
      try {
        const found = await openDoor(kind);
        if (found === null) onDone(true);
        // A step that the user has begun stays.
        else setDoor((before) => before ?? found);
      } catch {
        setFault(noAnswer);
      }
    };
    void look();
    window.addEventListener("focus", look);
    return () => window.removeEventListener("focus", look);
  }, [kind, onDone]);

  const submit = async (event: FormEvent<HTMLFormElement>) => {
    event.preventDefault();
    const form = event.currentTarget;
    const value = String(new FormData(form).get("given") ?? "");
    setBusy(true);
    try {
      const current = door ?? (await openDoor(kind));
      const step =
        current === null
          ? ({ done: true } as const)
          : await passDoor(kind, current, { email, value });
      if ("done" in step) return onDone(true);
      setFault("fault" in step ? step.fault : null);
      if ("door" in step) setDoor(step.door);
      form.reset();
    } catch {
      setFault(noAnswer);
    } finally {
      setBusy(false);
    }
  };

  const isCode = door?.field?.name === "code";
  return (
    <Modal
      opened
      onClose={() => kind === "fresh" && onDone(false)}
      withCloseButton={kind === "fresh"}
      title={titles[kind]}
      centered
    >
      <form onSubmit={submit}>
        <Stack gap="md">
          <Text size="sm">{reasons[kind]}</Text>
          {fault !== null && (
            <Alert color="red" role="alert">
              {fault}
            </Alert>
          )}
          <input type="hidden" name="email" autoComplete="username" value={email} />
          {isCode && (
            <TextInput
              key="code"
              name="given"
              label={door?.field?.label}
              autoComplete="one-time-code"
              required
              data-autofocus
            />
          )}
          {!isCode && (door === null || door.field !== null) && (
            <PasswordInput
              key="password"
              name="given"
              label={`Password of ${email}`}
              autoComplete="current-password"
              required
              data-autofocus
            />
          )}
          {(door === null || door.field !== null) && (
            <Button type="submit" loading={isBusy}>
              {kind === "fresh" ? "Confirm" : "Sign in"}
            </Button>
          )}
          {door?.hasPasskey && (
            <Button component="a" variant="default" href={doorPaths[kind]} target="_blank">
              Use a passkey in a new window
            </Button>
          )}
          {door?.singleSignOn && (
            <Button component="a" variant="default" href={door.singleSignOn.href} target="_blank">
              Continue with {door.singleSignOn.name} in a new window
            </Button>
          )}
          {kind === "session" && (
            <Text size="sm" c="dimmed">
              Not {email}? <a href="/auth/login">Open the sign-in page</a>. What you have entered
              here is lost then.
            </Text>
          )}
        </Stack>
      </form>
    </Modal>
  );
}
