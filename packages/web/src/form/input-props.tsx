import type { ReactNode } from "react";
import { Icon } from "../ui/controls/icon.tsx";
import styles from "./form.module.css";
import type { WidgetProps } from "./form-host.ts";

/** What the widget of a field gets. */
export type InputProps = WidgetProps & {
  isTyped: boolean;
  isMissing: boolean;
  /** Forgets what was typed. */
  onReset: () => void;
};

/** The props that all plain inputs share. */
export function toInputProps({ field, id, label, error, isMissing }: InputProps) {
  return {
    id,
    label,
    error: error ?? (isMissing ? "Required." : null),
    description: toHelp(field.description, field.locked),
    withAsterisk: field.required,
    "aria-required": field.required,
  };
}

export function toHelp(description: string, isLocked: boolean): ReactNode {
  if (!isLocked) return description === "" ? null : description;
  return (
    <span className={styles.locked}>
      <Icon name="lock" />
      <span>{`${description}${description === "" ? "" : " "}Locked: cannot be changed here.`}</span>
    </span>
  );
}
