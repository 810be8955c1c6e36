import { Modal, type ModalProps } from "@mantine/core";
import { useEffect, useState } from "react";

/** A dialog that is open while it is rendered. When it closes, the focus returns to where it was. */
export function Dialog(props: Omit<ModalProps, "opened">) {
  const [before] = useState(() => document.activeElement);
  useEffect(
    () => () => {
      // The removed dialog leaves the focus to the body, unless the focus has gone on already.
      setTimeout(() => {
        if (document.activeElement !== document.body) return;
        if (before instanceof HTMLElement && before.isConnected)
          before.focus({ preventScroll: true });
      });
    },
    [before],
  );
  return <Modal opened {...props} />;
}
