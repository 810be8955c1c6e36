import { NativeSelect } from "@mantine/core";
import { useRef, useState } from "react";
import type { FormField } from "../../../../form/field-form.ts";
import { FieldInput } from "../../../../form/field-input.tsx";
import type { FormHost } from "../../../../form/form-host.ts";
import styles from "../inspector.module.css";
import { useInspector } from "../inspector-context.ts";
import { useTakesValues } from "../values/use-takes-values.ts";
import { ValuesButton } from "../values/values-button.tsx";
import { ExpressionInput } from "./expression-input.tsx";
import { type FieldProps, inputOrder, plainHost, toFormField } from "./field-kit.ts";
import { type Mode, ModeSwitch } from "./mode-switch.tsx";
import type { ItemField } from "./node-field-spec.ts";
import { type TextKeeper, useText } from "./use-text.ts";
import {
  hasTemplate,
  jsonForm,
  numberForm,
  requiredTextForm,
  type TextForm,
  textForm,
  textsForm,
  toggleForm,
} from "./value-text.ts";

type Props = {
  field: FormField;
  label: string;
  form: TextForm;
  value: unknown;
  onValue: (value: unknown) => void;
  error: string | null;
  /** Whether it may be an expression. */
  isTemplate: boolean;
  /** The fixed value holds templates too, as the texts of JSON and of tables do. */
  isMixed?: boolean;
  host?: FormHost;
  rows?: number;
  /** The field of the item in which this one is, such as `params`. */
  within?: string;
  /** Templates are read in it, also if it is never one as a whole. */
  holdsTemplates?: boolean;
};

/** A field with the switch between a fixed value, which its widget edits, and an expression. */
export function FieldRow(props: Props) {
  const { field, label, form, value, onValue, error, isTemplate, isMixed = false, rows } = props;
  const { holdsTemplates = isTemplate } = props;
  const keeper = useKeeper(props.within === undefined ? [field.key] : [props.within, field.key]);
  const locked = field.mode;
  // An expression stays one while it is emptied.
  const [chosen, setChosen] = useState<Mode>(hasTemplate(value) ? "expression" : "fixed");
  const [takesFocus, setTakesFocus] = useState(false);
  const mode: Mode = locked ?? (hasTemplate(value) ? "expression" : chosen);
  const isExpression = isTemplate && mode === "expression";
  const onFixed = (next: unknown) => {
    if (isTemplate && locked === null && hasTemplate(next)) {
      // A text with {{ goes on as an expression, in whose input the user goes on typing.
      setChosen("expression");
      setTakesFocus(true);
    }
    onValue(next);
  };
  const fixed = useText(value, form, onFixed, keeper);
  const template = useText(value, requiredTextForm, onValue);
  const id = `field-${field.key}`;
  const problem = (isExpression ? null : fixed.problem) ?? error;
  const change = (next: Mode) => {
    setChosen(next);
    setTakesFocus(next === "expression");
    if (fixed.problem !== null) fixed.reset();
    // A text with {{ is an expression: as a fixed value it is empty.
    if (next === "fixed" && hasTemplate(value)) onValue(undefined);
  };
  const wrapper = useRef<HTMLDivElement>(null);
  const isJson = isMixed && field.base === "json";
  const takesValues = holdsTemplates && (locked !== "fixed" || isJson);
  useTakesValues(wrapper, takesValues, (whole) => {
    // Within JSON, a value is inserted where the user was.
    if (!isTemplate || isExpression || locked !== null) return false;
    if (isJson && fixed.text.trim() !== "") return false;
    change("expression");
    onValue(whole);
    return true;
  });
  // The cells of a table are templates.
  const isTable = holdsTemplates && !isTemplate && field.columns.length > 0;
  return (
    <div
      ref={wrapper}
      className={`${styles.field} ${isJson || isTable || rows !== undefined ? styles.fixedWidth : ""}`}
      data-field={field.key}
      data-span={isJson || rows !== undefined || field.columns.length > 0 || undefined}
      {...(isTable && { "data-text": "template" })}
    >
      <div className={styles.tools}>
        {takesValues && <ValuesButton label={label} field={wrapper} />}
        {isTemplate && (
          <ModeSwitch label={label} mode={mode} onMode={change} isLocked={locked !== null} />
        )}
      </div>
      {isExpression ? (
        <ExpressionInput
          id={id}
          label={label}
          text={template.text}
          onText={template.type}
          about={field.description || undefined}
          error={problem}
          isRequired={field.required}
          takesFocus={takesFocus}
          {...(rows !== undefined && { rows })}
        />
      ) : isJson ? (
        <ExpressionInput
          id={id}
          label={label}
          text={fixed.text}
          onText={fixed.type}
          about={field.description || undefined}
          error={problem}
          isRequired={field.required}
          rows={rows ?? 4}
          kind={holdsTemplates ? "json" : null}
        />
      ) : (
        <FieldInput
          field={field}
          id={id}
          label={label}
          text={fixed.text}
          isTyped={false}
          error={problem}
          isMissing={false}
          host={props.host ?? plainHost}
          onChange={fixed.type}
          onReset={() => {}}
        />
      )}
    </div>
  );
}

/** Keeps what is typed in a field and gives no value, also while another item is shown. */
function useKeeper(field: readonly string[]): TextKeeper {
  const { item, unread } = useInspector();
  return {
    find(value) {
      const kept = unread.find(item.id, field);
      return kept !== null && kept.value === value ? kept : null;
    },
    keep(typed) {
      if (typed === null) unread.drop(item.id, field);
      else unread.keep({ ...typed, id: item.id, field });
    },
  };
}

/** A field of a type whose kind the form renderer knows. */
export function PlainRow({ spec, value, onValue, error }: FieldProps) {
  const {
    key,
    label,
    kind,
    about = "",
    isRequired = false,
    isTemplate = false,
    options = [],
  } = spec;
  if (kind === "choice") {
    return (
      <NativeSelect
        className={styles.field}
        data-field={key}
        id={`field-${key}`}
        label={label}
        description={about}
        error={error}
        inputWrapperOrder={inputOrder}
        value={String(value ?? spec.default ?? "")}
        data={options.map(([one, name]) => ({ value: one, label: name }))}
        onChange={(event) => onValue(event.currentTarget.value || undefined)}
      />
    );
  }
  const form = toForm(spec);
  const field = toFormField(key, {
    name: label,
    description: about,
    required: isRequired,
    value: spec.default ?? null,
    ...(kind === "lines" && { widget: "textarea" }),
    ...(kind === "number" && { base: "float" as const, widget: "number" }),
    ...(kind === "toggle" && { base: "boolean" as const }),
    ...(kind === "json" && { base: "json" as const }),
    ...(kind === "texts" && { columns: ["name", "value"] }),
  });
  // What is not set shows its default.
  const shown = value === undefined ? fromDefault(spec) : value;
  const isMixed = kind === "json" || kind === "texts";
  return (
    <FieldRow
      field={field}
      label={label}
      form={form}
      value={shown}
      onValue={onValue}
      error={error}
      isMixed={isMixed}
      isTemplate={isTemplate && kind !== "texts"}
      holdsTemplates={isTemplate}
      {...(kind === "lines" && { rows: 3 })}
    />
  );
}

function fromDefault(spec: ItemField): unknown {
  if (spec.default === undefined) return undefined;
  const read = toForm(spec).fromText(spec.default);
  return "value" in read ? read.value : undefined;
}

function toForm({ kind, isRequired }: ItemField): TextForm {
  switch (kind) {
    case "number":
      return numberForm;
    case "toggle":
      return toggleForm;
    case "json":
      return jsonForm;
    case "texts":
      return textsForm;
    default:
      return isRequired ? requiredTextForm : textForm;
  }
}
