import { Alert } from "@mantine/core";
import type { OtherChange } from "../../../form/field-form.ts";
import styles from "../rows.module.css";

/** Says what someone else changed while the form was open. */
export function OtherChanges({
  changes,
  onClose,
}: {
  changes: OtherChange[];
  onClose: () => void;
}) {
  if (changes.length === 0) return null;
  return (
    <Alert
      color="blue"
      mb="md"
      role="alert"
      title="Someone else has changed this row"
      withCloseButton
      closeButtonLabel="Hide the changes"
      onClose={onClose}
    >
      <ul className={styles.changes}>
        {changes.map(({ key, label, from, to, isTyped }) => (
          <li key={key}>
            <strong>{label}</strong>
            {to === null
              ? " has a new value."
              : ` is now ${quote(to)}, before ${quote(from ?? "")}.`}
            {isTyped && " You typed another value, which is kept and replaces it when you save."}
          </li>
        ))}
      </ul>
    </Alert>
  );
}

function quote(text: string): string {
  const shown = text.length > 80 ? `${text.slice(0, 80)}…` : text;
  return shown === "" ? "not set" : `“${shown}”`;
}
