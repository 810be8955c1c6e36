import { Button, Input, NativeSelect, Switch, Textarea, TextInput } from "@mantine/core";
import { Icon } from "../ui/controls/icon.tsx";
import styles from "./form.module.css";
import type { SaveState } from "./form-host.ts";
import { HtmlField } from "./html/html-field.tsx";
import { type InputProps, toInputProps } from "./input-props.tsx";
import { KvlistField } from "./kvlist-field.tsx";
import { PickerField } from "./picker-field.tsx";
import { SecretField } from "./secret-field.tsx";

/** One field with the widget of its tag. */
export function FieldInput(props: InputProps) {
  const { field, host } = props;
  const canRegenerate = field.regen && host.regenerate !== undefined;
  return (
    <div
      className={styles.field}
      data-field={field.key}
      data-missing={props.isMissing || undefined}
      data-wide={isWide(field) || undefined}
    >
      <FieldWidget {...props} />
      <div className={styles.beside}>
        {canRegenerate && (
          <Button
            variant="default"
            size="xs"
            leftSection={<Icon name="refresh" />}
            onClick={() => host.regenerate?.(field)}
          >
            {`Generate ${props.label}`}
          </Button>
        )}
        <SavedMark state={host.saves?.[field.key]} />
      </div>
    </div>
  );
}

/** Long values and tables take the whole width of a form, others half of it. */
function isWide({ widget, base, columns }: InputProps["field"]): boolean {
  return widget === "html" || widget === "textarea" || base === "json" || columns.length > 0;
}

function SavedMark({ state }: { state: SaveState | undefined }) {
  return (
    <span className={styles.saved} role="status" data-state={state}>
      {state === "saved" && <Icon name="check" />}
      {state === "saved" ? "Saved" : state === "saving" ? "Saving…" : ""}
    </span>
  );
}

function FieldWidget(props: InputProps) {
  const { field } = props;
  if (field.widget === "html" && props.host.widget !== undefined) return <HtmlField {...props} />;
  if (field.secret) return <SecretField {...props} />;
  if (field.columns.length > 0) {
    const isPicker = field.widget === "picker" && props.host.lookUp !== undefined;
    return isPicker ? <PickerField {...props} /> : <KvlistField {...props} />;
  }
  return <PlainField {...props} />;
}

const inputTypes: Record<string, string> = {
  email: "email",
  url: "url",
  date: "date",
  datetime: "datetime-local",
  number: "number",
};

function PlainField(props: InputProps) {
  const { field, text, onChange } = props;
  const shared = toInputProps(props);
  const { locked } = field;
  if (field.base === "boolean") {
    return (
      <Switch
        id={shared.id}
        label={shared.label}
        description={shared.description}
        error={shared.error}
        checked={text === "true"}
        disabled={locked}
        onChange={(event) => onChange(String(event.currentTarget.checked))}
      />
    );
  }
  if (field.widget === "dropdown") {
    const options = field.options.map((value) => ({ value, label: value }));
    const isUnknown = text !== "" && !field.options.includes(text);
    return (
      <NativeSelect
        {...shared}
        disabled={locked}
        value={text}
        data={[
          ...(text === "" || !field.required ? [{ value: "", label: "Not set" }] : []),
          ...(isUnknown ? [{ value: text, label: `${text} (no longer an option)` }] : []),
          ...options,
        ]}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  if (field.widget === "textarea" || field.base === "json") {
    // What is named so is the source of a program.
    const isSource = field.widget === "textarea" && field.key === "source";
    const isCode = field.base === "json" || isSource;
    return (
      <Textarea
        {...shared}
        readOnly={locked}
        rows={isSource ? 14 : isCode ? 6 : 4}
        resize="vertical"
        {...(isCode && {
          classNames: { input: styles.code ?? "" },
          spellCheck: false,
        })}
        value={text}
        onChange={(event) => onChange(event.currentTarget.value)}
      />
    );
  }
  if (field.widget === "color") return <ColorField {...props} />;
  return (
    <TextInput
      {...shared}
      readOnly={locked}
      type={inputTypes[field.widget] ?? "text"}
      {...(field.widget === "number" && { step: field.base === "integer" ? 1 : "any" })}
      {...(field.widget === "datetime" && { step: 1 })}
      autoComplete="off"
      value={text}
      onChange={(event) => onChange(event.currentTarget.value)}
    />
  );
}

/** A browser's colour input has no empty value, so the text beside it says what is set. */
function ColorField(props: InputProps) {
  const { field, text, onChange } = props;
  const { locked } = field;
  return (
    <Input.Wrapper {...toInputProps(props)}>
      <div className={styles.color}>
        <input
          type="color"
          id={props.id}
          value={/^#[0-9a-f]{6}$/i.test(text) ? text : "#000000"}
          disabled={locked}
          onChange={(event) => onChange(event.currentTarget.value)}
        />
        <span>{text === "" ? "Not set" : text}</span>
        {text !== "" && !locked && (
          <Button variant="subtle" size="compact-sm" onClick={() => onChange("")}>
            Clear
          </Button>
        )}
      </div>
    </Input.Wrapper>
  );
}
