import { useState } from "react";
import { useShortcut } from "./key-hint.tsx";
import styles from "./keys.module.css";
import { KeysDialog } from "./keys-dialog.tsx";

/** Whether the dialog with the keys is open. */
export function useKeysDialog() {
  const [isOpen, setOpen] = useState(false);
  return {
    open: () => setOpen(true),
    dialog: isOpen ? <KeysDialog onClose={() => setOpen(false)} /> : null,
  };
}

/** Opens the dialog with the keys. It stays when the keys are off. */
export function KeysButton({ onOpen }: { onOpen: () => void }) {
  const shortcut = useShortcut("?");
  return (
    <button
      {...shortcut}
      type="button"
      className={`hub-icon-button ${styles.button}`}
      aria-label="Keys"
      title="Keys (?)"
      onClick={onOpen}
    >
      ?
    </button>
  );
}
