import { Textarea } from "@mantine/core";
import styles from "./inspector.module.css";

type Props = {
  id: string;
  label: string;
  /** The label stands elsewhere. */
  isBare?: boolean;
  text: string;
  onText: (text: string) => void;
  about?: string | undefined;
  error?: string | null;
  isRequired?: boolean;
  /** For values of several lines, such as JSON. */
  rows?: number;
};

/** A template: text with expressions such as `{{.Event.Payload.id}}`. */
export function ExpressionInput(props: Props) {
  const { id, label, isBare = false, text, onText, about, error, isRequired, rows = 1 } = props;
  return (
    <div className={styles.expression}>
      <Textarea
        id={id}
        {...(isBare ? { "aria-label": label } : { label })}
        withAsterisk={isRequired === true}
        description={about}
        error={error}
        inputWrapperOrder={["label", "input", "error", "description"]}
        classNames={{ input: styles.code ?? "" }}
        autosize
        minRows={rows}
        maxRows={16}
        spellCheck={false}
        value={text}
        onChange={(event) => onText(event.currentTarget.value)}
      />
    </div>
  );
}
