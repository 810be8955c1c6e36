import {
  Button,
  Input,
  NativeSelect,
  PasswordInput,
  Switch,
  Textarea,
  TextInput,
} from "@mantine/core";
import { type ReactNode, useEffect, useState } from "react";
import { Icon } from "../ui/icon.tsx";
import styles from "./form.module.css";
import type { SaveState, WidgetProps } from "./form-host.ts";
import { HtmlField } from "./html/html-field.tsx";
import { KvlistField } from "./kvlist-field.tsx";
import { PickerField } from "./picker-field.tsx";

type Props = WidgetProps & {
  isTyped: boolean;
  isMissing: boolean;
  /** Forgets what was typed. */
  onReset: () => void;
};

/** One field with the widget of its tag. */
export function FieldInput(props: Props) {
  const { field, host } = props;
  const canRegenerate = field.regen && host.regenerate !== undefined;
  return (
    <div
      className={styles.field}
      data-field={field.key}
      data-missing={props.isMissing || undefined}
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

function SavedMark({ state }: { state: SaveState | undefined }) {
  return (
    <span className={styles.saved} role="status" data-state={state}>
      {state === "saved" && <Icon name="check" />}
      {state === "saved" ? "Saved" : state === "saving" ? "Saving…" : ""}
    </span>
  );
}

function FieldWidget(props: Props) {
  const { field } = props;
  if (field.widget === "html" && props.host.widget !== undefined) return <HtmlField {...props} />;
  if (field.secret) return <SecretField {...props} />;
  if (field.columns.length > 0) {
    const isPicker = field.widget === "picker" && props.host.lookUp !== undefined;
    return isPicker ? <PickerField {...props} /> : <KvlistField {...props} />;
  }
  return <PlainField {...props} />;
}

/** The props that all plain inputs share: the help stands under the field. */
function toInputProps({ field, id, label, error, isMissing }: Props) {
  return {
    id,
    label,
    error: error ?? (isMissing ? "Required." : null),
    description: toHelp(field.description, field.locked),
    withAsterisk: field.required,
    "aria-required": field.required,
    inputWrapperOrder: ["label", "input", "error", "description"] as Array<
      "label" | "input" | "error" | "description"
    >,
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

const inputTypes: Record<string, string> = {
  email: "email",
  url: "url",
  date: "date",
  datetime: "datetime-local",
  number: "number",
};

function PlainField(props: Props) {
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
    return (
      <Textarea
        {...shared}
        readOnly={locked}
        rows={field.base === "json" ? 6 : 4}
        resize="vertical"
        {...(field.base === "json" && {
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
function ColorField(props: Props) {
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

/** A secret shows bullets while it is set. Its value is never on the page. */
function SecretField(props: Props) {
  const { field, label, text, isTyped, onChange, onReset, host } = props;
  const [isReplacing, setReplacing] = useState(false);
  // After a save the new value shows as bullets.
  // biome-ignore lint/correctness/useExhaustiveDependencies: the version is what triggers it.
  useEffect(() => setReplacing(false), [host.version]);
  const shared = toInputProps(props);
  if (field.locked || (field.is_set && !isTyped && !isReplacing)) {
    return (
      <div className={styles.secret}>
        <TextInput
          {...shared}
          type="password"
          autoComplete="off"
          readOnly
          value={field.is_set ? "••••••••" : ""}
        />
        {!field.locked && (
          <>
            <Button
              variant="default"
              aria-label={`Replace ${label}`}
              onClick={() => setReplacing(true)}
            >
              Replace
            </Button>
            <Button variant="subtle" aria-label={`Clear ${label}`} onClick={() => onChange("")}>
              Clear
            </Button>
          </>
        )}
      </div>
    );
  }
  const keep = () => {
    setReplacing(false);
    onReset();
  };
  if (field.is_set && isTyped && text === "" && !isReplacing) {
    return (
      <div className={styles.secret}>
        <TextInput {...shared} readOnly value="" placeholder="Cleared when you save" />
        <Button variant="default" onClick={keep}>
          {`Keep ${label}`}
        </Button>
      </div>
    );
  }
  return (
    <div className={styles.secret}>
      <PasswordInput
        {...shared}
        autoComplete="new-password"
        autoFocus={isReplacing}
        value={text}
        onChange={(event) =>
          event.currentTarget.value === "" ? onReset() : onChange(event.currentTarget.value)
        }
      />
      {field.is_set && (
        <Button variant="subtle" onClick={keep}>
          {`Keep the old ${label}`}
        </Button>
      )}
    </div>
  );
}
