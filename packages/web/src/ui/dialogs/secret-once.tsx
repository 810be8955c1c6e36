import { Button, Group, Stack } from "@mantine/core";
import type { ReactNode } from "react";
import { CopyButton } from "../controls/copy-button.tsx";
import { Dialog } from "./dialog.tsx";
import styles from "./secret-once.module.css";

type Props = {
  title: string;
  secret: string;
  /** What it is, for the button: "the password". */
  what: string;
  children: ReactNode;
  onClose: () => void;
};

/** Shows a secret that the hub does not show again. A click beside the dialog does not close it. */
export function SecretOnce({ title, secret, what, children, onClose }: Props) {
  return (
    <Dialog onClose={onClose} title={title} closeOnClickOutside={false}>
      <Stack gap="md">
        <div>{children}</div>
        <div className={styles.secret}>
          <code>{secret}</code>
          <CopyButton text={secret} what={what} />
        </div>
        <Group justify="flex-end">
          <Button onClick={onClose}>Done</Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
