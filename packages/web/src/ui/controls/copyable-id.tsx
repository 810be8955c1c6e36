import { CopyButton } from "./copy-button.tsx";
import styles from "./copyable-id.module.css";

/** An id with a button that copies it. `what` names it for screen readers: "the id". */
export function CopyableId({ id, what }: { id: string; what: string }) {
  return (
    <span className={styles.id}>
      <code>{id}</code>
      <CopyButton text={id} what={what} />
    </span>
  );
}
