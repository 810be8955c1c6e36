import {
  Button,
  Group,
  Input,
  NativeSelect,
  NumberInput,
  TagsInput,
  TextInput,
} from "@mantine/core";
import { useState } from "react";
import { useApi } from "../../../../api/use-api.ts";
import { useMe } from "../../../../api/use-me.ts";
import { Icon } from "../../../../ui/controls/icon.tsx";
import { IconButton } from "../../../../ui/controls/icon-button.tsx";
import { type FieldProps, inputOrder } from "../inputs/field-kit.ts";
import styles from "../inspector.module.css";
import { Issue, SideInput } from "./comparison-fields.tsx";

const toTexts = (list: unknown) => (Array.isArray(list) ? list.map(String) : []);

/** Who decides: users by e-mail, and everyone with a tag. Admins choose from all of them. */
export function ApproversField({ value, onValue, error }: FieldProps) {
  const { isAdmin, user } = useMe();
  const users = useApi("GET /admin/api/users", {}, { isOn: isAdmin });
  const tags = useApi("GET /admin/api/tags", {}, { isOn: isAdmin });
  const chosen = Object(value);
  const active = (users.data?.users ?? []).filter(({ status }) => status === "active");
  const change = (next: { users?: string[]; tags?: string[] }) =>
    onValue({ tags: [], users: [], ...chosen, ...next });
  return (
    <div className={styles.field} data-field="approvers">
      <TagsInput
        label="Approvers"
        description="Users by e-mail."
        error={error}
        inputWrapperOrder={inputOrder}
        data={active.map(({ email }) => email)}
        value={toTexts(chosen.users)}
        onChange={(next) => change({ users: next.map((one) => one.trim()) })}
        maxDropdownHeight={160}
        limit={50}
        acceptValueOnBlur
      />
      <TagsInput
        mt="sm"
        label="Approvers by tag"
        description="Every active user with one of these tags."
        inputWrapperOrder={inputOrder}
        data={isAdmin ? (tags.data?.tags ?? []).map(({ name }) => name) : (user.tags ?? [])}
        value={toTexts(chosen.tags)}
        onChange={(next) => change({ tags: next.map((one) => one.trim().toLowerCase()) })}
        maxDropdownHeight={160}
        limit={50}
        acceptValueOnBlur
      />
    </div>
  );
}

type ValuesProps = Omit<FieldProps, "error"> & {
  /** What is wrong, by the number of the row. */
  issues: ReadonlyMap<number, string>;
};

const valuesMax = 10;

/** The values that approvers see first: rows of a label and an expression. */
export function ValuesField({ spec, value, onValue, issues }: ValuesProps) {
  const rows: Array<Record<string, unknown>> = Array.isArray(value) ? value.map(Object) : [];
  const change = (next: typeof rows) => onValue(next.length === 0 ? undefined : next);
  const put = (at: number, part: object) =>
    change(rows.map((row, index) => (index === at ? { ...row, ...part } : row)));
  return (
    <fieldset className={styles.list} data-field={spec.key}>
      <legend>{spec.label}</legend>
      <Input.Description>{spec.about}</Input.Description>
      {rows.map((row, at) => (
        <div key={`${rows.length} ${String(at)}`} className={styles.row}>
          <TextInput
            label="Label"
            aria-label={`Value ${at + 1}: label`}
            maxLength={100}
            value={String(row.label ?? "")}
            onChange={({ currentTarget: { value: label } }) => put(at, { label })}
          />
          <SideInput
            label={`Value ${at + 1}: value`}
            shown="Value"
            value={row.value}
            onValue={(next) => put(at, { value: next })}
          />
          <Issue text={issues.get(at)} />
          <IconButton
            icon="trash"
            label={`Remove value ${at + 1}`}
            onClick={() => change(rows.filter((_, index) => index !== at))}
          />
        </div>
      ))}
      {rows.length < valuesMax && (
        <Button
          size="compact-sm"
          variant="default"
          leftSection={<Icon name="plus" />}
          onClick={() => change([...rows, { label: "", value: "" }])}
        >
          Add a value
        </Button>
      )}
    </fieldset>
  );
}

const units = [
  { seconds: 86_400, name: "days" },
  { seconds: 3600, name: "hours" },
  { seconds: 60, name: "minutes" },
  { seconds: 1, name: "seconds" },
] as const;

const findUnit = (seconds: number) =>
  units.find((unit) => seconds > 0 && seconds % unit.seconds === 0)?.seconds ?? 1;

/** A number of seconds, in the largest unit that gives a whole number. */
export function DurationField({ spec, value, onValue, error }: FieldProps) {
  const seconds = Number(value ?? spec.default ?? 0);
  const [unit, setUnit] = useState(() => findUnit(seconds));
  const shown = seconds / unit;
  return (
    <Group className={styles.field} align="start" gap="xs" wrap="nowrap" data-field={spec.key}>
      <NumberInput
        flex={1}
        label={spec.label}
        description={spec.about}
        error={error}
        inputWrapperOrder={inputOrder}
        min={0}
        value={Number.isFinite(shown) ? shown : ""}
        onChange={(next) => onValue(typeof next === "number" ? Math.round(next * unit) : undefined)}
      />
      <NativeSelect
        mt="1.55rem"
        aria-label={`${spec.label}: unit`}
        value={String(unit)}
        data={units.map(({ seconds: one, name }) => ({ value: String(one), label: name }))}
        onChange={({ currentTarget: { value: next } }) => {
          setUnit(Number(next) as typeof unit);
          onValue(Math.round(shown * Number(next)));
        }}
      />
    </Group>
  );
}
