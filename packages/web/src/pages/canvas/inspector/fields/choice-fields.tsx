import { Button, Checkbox, Group, NativeSelect, NumberInput, TextInput } from "@mantine/core";
import { useState } from "react";
import { useApi } from "../../../../api/use-api.ts";
import { FieldInput } from "../../../../form/field-input.tsx";
import { SecretDialog, secretNamePattern } from "../../../../workflow-parts/secret-dialog.tsx";
import { type FieldProps, inputOrder, plainHost, toFormField } from "../inputs/field-kit.ts";
import { useText } from "../inputs/use-text.ts";
import type { TextForm } from "../inputs/value-text.ts";
import styles from "../inspector.module.css";
import { useInspector } from "../inspector-context.ts";

/** One or several options. One is written as a text, several as a list. */
export function ChoicesField({ spec, value, onValue, error }: FieldProps) {
  const shown = value ?? spec.default ?? [];
  const chosen = (Array.isArray(shown) ? shown : [shown]).map(String);
  return (
    <Checkbox.Group
      className={styles.field}
      label={spec.label}
      description={spec.about}
      error={error}
      value={chosen}
      onChange={(next) => onValue(next.length > 1 ? next : next[0])}
    >
      <Group gap="sm" mt="xs">
        {(spec.options ?? []).map(([one, name]) => (
          <Checkbox key={one} value={one} label={name} />
        ))}
      </Group>
    </Checkbox.Group>
  );
}

/** Another workflow. The list has those that the user can see. */
export function WorkflowField({ spec, value, onValue, error }: FieldProps) {
  const { workflow, isTrigger } = useInspector();
  const { data } = useApi("GET /manager/api/workflows", { query: { limit: 100 } });
  const others = (data?.workflows ?? []).filter(({ id }) => id !== workflow);
  const text = String(value ?? "");
  const isListed = text === "" || text === "*" || others.some(({ id }) => id === text);
  return (
    <NativeSelect
      className={styles.field}
      label={spec.label}
      description={spec.about}
      error={error}
      withAsterisk
      inputWrapperOrder={inputOrder}
      value={text}
      data={[
        ...(isTrigger ? [{ value: "*", label: "All of the owner's workflows" }] : []),
        ...(isTrigger ? [] : [{ value: "", label: "Choose a workflow" }]),
        ...(isListed ? [] : [{ value: text, label: text }]),
        ...others.map(({ id, name }) => ({ value: id, label: name })),
      ]}
      onChange={(event) => onValue(event.currentTarget.value)}
    />
  );
}

/** The name of a secret of the workflow, and a button that sets a missing one. */
export function SecretField({ spec, value, onValue, error }: FieldProps) {
  const { workflow } = useInspector();
  const { data } = useApi("GET /manager/api/workflows/{workflow}/secrets", {
    params: { workflow },
  });
  const known = data?.secrets ?? [];
  const name = String(value ?? "");
  const isSet = known.some((one) => one.name === name && one.is_set);
  const [isSetting, setSetting] = useState(false);
  return (
    <div className={styles.field} data-field={spec.key}>
      <TextInput
        label={spec.label}
        description={spec.about}
        error={error}
        inputWrapperOrder={inputOrder}
        value={name}
        list="workflow-secrets"
        autoComplete="off"
        placeholder="Without one, everyone may send"
        onChange={(event) => onValue(event.currentTarget.value || undefined)}
      />
      <datalist id="workflow-secrets">
        {known.map((one) => (
          <option key={one.name} value={one.name} />
        ))}
      </datalist>
      {secretNamePattern.test(name) && (
        <Button mt="xs" size="compact-sm" variant="default" onClick={() => setSetting(true)}>
          {isSet ? `Replace ${name}` : `Set ${name}`}
        </Button>
      )}
      {isSetting && (
        <SecretDialog
          workflow={workflow}
          secret={{ name, is_set: isSet }}
          onClose={() => setSetting(false)}
        />
      )}
    </div>
  );
}

/** How often a node is tried, and how long it pauses in between. */
export function RetryField({ value, onValue, error }: FieldProps) {
  const { attempts = 1, backoff_s: backoff = 1 } = Object(value);
  const change = (next: { attempts?: unknown; backoff_s?: unknown }) => {
    const retry = { attempts, backoff_s: backoff, ...next };
    onValue(retry.attempts === 1 || retry.attempts === "" ? undefined : retry);
  };
  return (
    <Group className={styles.field} grow align="start" gap="sm" data-field="retry">
      <NumberInput
        label="Tries"
        description="After failures that can pass by themselves."
        inputWrapperOrder={inputOrder}
        error={error}
        min={1}
        max={10}
        value={Number(attempts)}
        onChange={(next) => change({ attempts: next })}
      />
      <NumberInput
        label="Pause in seconds"
        min={0}
        max={3600}
        disabled={attempts === 1}
        value={Number(backoff)}
        onChange={(next) => change({ backoff_s: next })}
      />
    </Group>
  );
}

const columns = ["name", "type", "tag"];
const inputsForm: TextForm = {
  toText: (value) =>
    JSON.stringify(
      (Array.isArray(value) ? value : []).map((one) => {
        const { name = "", type = "text", tag = "" } = Object(one);
        return { name, type, tag };
      }),
    ),
  fromText(text) {
    const rows: unknown = JSON.parse(text === "" ? "[]" : text);
    const named = (Array.isArray(rows) ? rows : []).filter((row) => Object(row).name);
    return {
      value:
        named.length === 0 ? undefined : named.map((row) => ({ ...row, type: row.type || "text" })),
    };
  },
};

/** The fields of the Run form: name, type, and field tag. */
export function InputsField({ spec, value, onValue, error }: FieldProps) {
  const { text, type } = useText(value, inputsForm, onValue);
  return (
    <div className={styles.field}>
      <FieldInput
        field={toFormField(spec.key, {
          name: spec.label,
          columns,
          description: `${spec.about} Types: text, integer, float, boolean, json. A tag such as required;desc=The account.`,
        })}
        id={`field-${spec.key}`}
        label={spec.label}
        text={text}
        isTyped={false}
        error={error}
        isMissing={false}
        host={plainHost}
        onChange={type}
        onReset={() => {}}
      />
    </div>
  );
}
