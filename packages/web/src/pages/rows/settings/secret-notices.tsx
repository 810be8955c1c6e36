import { toFieldLabel } from "@hub/contract/field-label.ts";
import { Alert, Button } from "@mantine/core";
import { useChange } from "../../../api/use-api.ts";
import { type FormField, listFields } from "../../../form/field-form.ts";
import { Icon } from "../../../ui/controls/icon.tsx";
import styles from "../rows.module.css";
import type { ShownRow } from "../shown-row.ts";
import type { RowForm } from "./use-row-form.ts";

/** Secrets of which the hub stores only the references. */
export function OutsideSecrets({ keys, form }: { keys: string[]; form: RowForm }) {
  if (keys.length === 0) return null;
  const fields = listFields(form.settings?.groups ?? []);
  const names = keys.map((key) => toFieldName(fields, key));
  return (
    <Alert mb="md" title="Secrets outside the hub" icon={<Icon name="key" />}>
      {`${names.join(", ")}: kept outside the hub, where a hub file says. A value that you set here takes the place of the reference.`}
    </Alert>
  );
}

/** Secrets that callers of the row can guess, and what the hub does about it. */
export function WeakSecrets({ form: { settings } }: { form: RowForm }) {
  const weak = settings?.weak ?? [];
  if (settings === null || weak.length === 0) return null;
  const fields = listFields(settings.groups);
  const names = weak.map((key) => toFieldName(fields, key));
  return (
    <Alert
      color="yellow"
      mb="md"
      title="A secret that can be guessed"
      icon={<Icon name="warning" />}
    >
      {`${names.join(", ")} can be guessed by users who call this row, if the outside system returns what they send. So what they send is not recorded, and how much they may send in an hour is limited (HUB_BUDGET_GUESSES). A patient user can still find a common password. Set a longer random secret, if the outside system lets you.`}
    </Alert>
  );
}

/** Likely secrets in fields that everyone who sees the settings can read, and a way to seal them. */
export function ExposedSecrets({ row, form }: { row: ShownRow; form: RowForm }) {
  const seal = useChange("POST /manager/api/rows/{row}/seal-secrets", {
    refreshes: ["GET /manager/api/rows/{row}/settings", "GET /manager/api/rows/{row}"],
  });
  const { settings, unsaved } = form;
  const exposed = settings?.exposed ?? [];
  if (settings === null || exposed.length === 0) return null;
  const fields = listFields(settings.groups);
  return (
    <Alert
      color="yellow"
      mb="md"
      title="Likely secrets in plain text"
      icon={<Icon name="warning" />}
    >
      <p className={styles.alertText}>
        {`The field ${[...new Set(exposed.map(({ field }) => toFieldName(fields, field)))].join(", ")} has ${
          exposed.length === 1 ? "a value that looks" : `${exposed.length} values that look`
        } like a secret (${exposed.map(({ name }) => name).join(", ")}). Everyone who sees these settings can read ${
          exposed.length === 1 ? "it" : "them"
        }. Sealed, ${exposed.length === 1 ? "it is" : "they are"} masked everywhere, and the row works as before.`}
      </p>
      {seal.error !== null && (
        <p className={styles.bad} role="alert">
          {seal.error.message}
        </p>
      )}
      <Button
        size="xs"
        variant="default"
        leftSection={<Icon name="lock" />}
        loading={seal.isPending}
        disabled={unsaved.length > 0}
        onClick={() => seal.run({ params: { row: row.id }, body: { version: settings.version } })}
      >
        {unsaved.length > 0 ? "Save your changes first" : "Seal them"}
      </Button>
    </Alert>
  );
}

/** The label of a field by its key; the key if the form has no such field. */
function toFieldName(fields: readonly FormField[], key: string): string {
  const field = fields.find((one) => one.key === key);
  return field === undefined ? key : toFieldLabel(field);
}
