import { Button, PasswordInput, TextInput } from "@mantine/core";
import { useEffect, useState } from "react";
import styles from "./form.module.css";
import { type InputProps, toInputProps } from "./input-props.tsx";

/** A secret shows bullets while it is set. Its value is never on the page. */
export function SecretField(props: InputProps) {
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
