import { Textarea } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { type RefObject, useEffect, useId, useRef } from "react";
import type { TextKind } from "../../expressions/insert-value.ts";
import styles from "../inspector.module.css";
import { useInspector } from "../inspector-context.ts";
import { inputOrder } from "./field-kit.ts";
import { Offers, useCompletions } from "./use-completions.tsx";
import { usePreview } from "./use-preview.ts";
import { hasTemplate } from "./value-text.ts";

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
  /** It replaces an input in which the user was typing. */
  takesFocus?: boolean;
  /** How values are inserted. Null where no templates are read. */
  kind?: TextKind | null;
};

/**
 * A template: text with expressions such as `{{.Event.Payload.id}}`. After `{{` it offers what can be
 * read there, and below it shows the value that it gave in the last run.
 */
export function ExpressionInput(props: Props) {
  const {
    id,
    label,
    isBare = false,
    text,
    onText,
    about,
    error,
    isRequired,
    rows = 1,
    takesFocus = false,
    kind = "template",
  } = props;
  const input = useRef<HTMLTextAreaElement>(null);
  const listId = useId();
  useFocusAtEnd(input, takesFocus);
  const { found, active, look, choose, close, onKeyDown } = useCompletions(input, text, onText);
  return (
    <div
      className={styles.expression}
      {...(kind !== null && { "data-takes-values": "", "data-text": kind })}
    >
      <Textarea
        ref={input}
        id={id}
        {...(isBare ? { "aria-label": label } : { label })}
        withAsterisk={isRequired === true}
        description={about}
        error={error}
        inputWrapperOrder={inputOrder}
        classNames={{ input: styles.code ?? "" }}
        autosize
        minRows={rows}
        maxRows={16}
        spellCheck={false}
        value={text}
        aria-autocomplete="list"
        {...(found !== null && {
          "aria-controls": listId,
          "aria-activedescendant": `${listId}-${active}`,
        })}
        onChange={(event) => {
          onText(event.currentTarget.value);
          look(event.currentTarget);
        }}
        onKeyDown={onKeyDown}
        onKeyUp={(event) => {
          if (["ArrowLeft", "ArrowRight", "Home", "End"].includes(event.key)) {
            look(event.currentTarget);
          }
        }}
        onClick={(event) => look(event.currentTarget)}
        onBlur={close}
      />
      {found !== null && (
        <Offers
          listId={listId}
          active={active}
          label={`Values for ${label}`}
          options={found.options}
          onChoose={choose}
        />
      )}
      {hasTemplate(text) && found === null && <Preview template={text} />}
    </div>
  );
}

function useFocusAtEnd(input: RefObject<HTMLTextAreaElement | null>, takesFocus: boolean): void {
  useEffect(() => {
    if (!takesFocus || input.current === null) return;
    input.current.focus();
    input.current.setSelectionRange(input.current.value.length, input.current.value.length);
  }, [input, takesFocus]);
}

const askAfterMs = 400;
const shownCharsMax = 500;

/** The value of a template in the last run. */
function Preview({ template }: { template: string }) {
  const { workflow, run } = useInspector();
  const [asked] = useDebouncedValue(template, askAfterMs);
  const { data, error: refusal } = usePreview(workflow, run, asked);
  if (run === null) {
    return <p className={styles.preview}>Run the workflow once to see the value here.</p>;
  }
  const failure = refusal ?? data?.error ?? null;
  if (data === undefined && failure === null) return null;
  const { warnings = [], value } = data ?? {};
  const shown = typeof value === "string" ? value : (JSON.stringify(value) ?? "");
  // A value that is missing is null: its warning says what is missing.
  const reason = failure?.message ?? (value === null ? warnings[0] : undefined);
  return (
    <p className={styles.preview} data-bad={reason !== undefined || undefined} aria-live="polite">
      {reason ?? (
        <>
          {"= "}
          <code>{shown.length > shownCharsMax ? `${shown.slice(0, shownCharsMax)}…` : shown}</code>
          {warnings.length > 0 && <span className={styles.soft}>{` ${warnings[0]}`}</span>}
        </>
      )}
    </p>
  );
}
