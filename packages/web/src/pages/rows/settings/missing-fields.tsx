import { toFieldLabel } from "@hub/contract/field-label.ts";
import { Alert } from "@mantine/core";
import { listFields } from "../../../form/field-form.ts";
import { toFieldId } from "../../../form/form.tsx";
import { Icon } from "../../../ui/controls/icon.tsx";
import styles from "../rows.module.css";
import type { RowForm } from "./use-row-form.ts";

/** What must still be filled in, with a way to each field. */
export function MissingFields({ keys, form }: { keys: string[]; form: RowForm }) {
  if (keys.length === 0) return null;
  const fields = listFields(form.settings?.groups ?? []);
  return (
    <Alert color="yellow" mb="md" title="Needs setup" icon={<Icon name="warning" />}>
      {"Operations can be called when these are set: "}
      {keys.map((key, at) => {
        const field = fields.find((one) => one.key === key);
        return (
          <span key={key}>
            {at > 0 && ", "}
            {field === undefined ? (
              key
            ) : (
              <button type="button" className={styles.jump} onClick={() => jumpTo(key)}>
                {toFieldLabel(field)}
              </button>
            )}
          </span>
        );
      })}
      .
    </Alert>
  );
}

function jumpTo(key: string): void {
  const field = document.getElementById(toFieldId(key));
  field?.scrollIntoView({ block: "center" });
  field?.focus();
}
