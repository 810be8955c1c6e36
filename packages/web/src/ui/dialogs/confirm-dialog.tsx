import { Button, Group, Modal, Stack, TextInput } from "@mantine/core";
import { type FormEvent, type ReactNode, useState } from "react";
import styles from "./confirm-dialog.module.css";

type Props = {
  isOpen: boolean;
  /** The action as a question: "Delete Production logs?" */
  title: string;
  /** The action as the button names it: "Delete". */
  action: string;
  /** What will be lost. */
  children: ReactNode;
  /** The user must type this name first. For what cannot be undone. */
  name?: string;
  /** Looks so, for what destroys something. */
  isDangerous?: boolean;
  isBusy?: boolean;
  /** False while something in the dialog must be done first. */
  isReady?: boolean;
  onConfirm: () => void;
  onClose: () => void;
};

/** Asks before an action with consequences. */
export function ConfirmDialog(props: Props) {
  const {
    isOpen,
    title,
    action,
    children,
    name,
    isDangerous = name !== undefined,
    isBusy = false,
    isReady = true,
    onConfirm,
    onClose,
  } = props;
  const [typed, setTyped] = useState("");
  const close = () => {
    setTyped("");
    onClose();
  };
  const canConfirm = isReady && (name === undefined || typed === name);
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (canConfirm) onConfirm();
  };
  return (
    <Modal opened={isOpen} onClose={close} title={title}>
      <form onSubmit={submit}>
        <Stack gap="md">
          <div className={styles.text}>{children}</div>
          {name !== undefined && (
            <TextInput
              label={`Type ${name} to confirm`}
              value={typed}
              onChange={(event) => setTyped(event.currentTarget.value)}
              autoComplete="off"
              data-autofocus
            />
          )}
          <Group justify="flex-end" gap="sm">
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            <Button
              type="submit"
              variant={isDangerous ? "danger" : "filled"}
              loading={isBusy}
              disabled={!canConfirm}
            >
              {action}
            </Button>
          </Group>
        </Stack>
      </form>
    </Modal>
  );
}
