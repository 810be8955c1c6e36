import { Input } from "@mantine/core";
import { type KeyboardEvent, useId, useRef, useState } from "react";
import { JsonTree } from "../../../../ui/json/json-tree.tsx";
import { type FieldProps, inputOrder } from "../inputs/field-kit.ts";
import { useInspector } from "../inspector-context.ts";
import styles from "./code.module.css";
import {
  breakLine,
  findLine,
  indentLines,
  outdentLines,
  type TextEdit,
} from "./edit-script-text.ts";

/**
 * A program with the numbers of its lines, and below it what it can read. Tab indents, until Escape gives
 * it back to the browser, so that the keyboard alone leaves the field.
 */
export function CodeField({ spec, value, onValue, error }: FieldProps) {
  const id = useId();
  const text = typeof value === "string" ? value : "";
  const lines = useRef<HTMLPreElement>(null);
  const [takesTab, setTakesTab] = useState(true);
  const wrong = findLine(error);
  const count = countLines(text);
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    const { key, currentTarget: area } = event;
    if (event.ctrlKey || event.metaKey || event.altKey || event.nativeEvent.isComposing) return;
    if (key === "Escape" && takesTab) {
      event.preventDefault();
      return setTakesTab(false);
    }
    const selected = { text, start: area.selectionStart, end: area.selectionEnd };
    if (key === "Enter") {
      event.preventDefault();
      applyEdit(area, breakLine(selected));
    } else if (key === "Tab" && takesTab) {
      event.preventDefault();
      applyEdit(area, (event.shiftKey ? outdentLines : indentLines)(selected));
    }
  };
  return (
    <Input.Wrapper
      className={styles.field}
      data-field={spec.key}
      data-takes-values=""
      data-text="script"
      data-span
      id={id}
      label={spec.label}
      description={spec.about}
      error={error}
      withAsterisk
      inputWrapperOrder={inputOrder}
    >
      <div className={styles.editor} data-bad={error !== null || undefined}>
        <div className={styles.lines} aria-hidden="true">
          <pre ref={lines}>
            {Array.from({ length: count }, (_, at) => (
              // biome-ignore lint/suspicious/noArrayIndexKey: the number of a line is its index.
              <span key={at} data-bad={at + 1 === wrong || undefined}>
                {`${at + 1}\n`}
              </span>
            ))}
          </pre>
        </div>
        <textarea
          id={id}
          className={styles.text}
          value={text}
          rows={Math.min(24, Math.max(8, count + 1))}
          wrap="off"
          spellCheck={false}
          autoCapitalize="off"
          autoCorrect="off"
          aria-describedby={`${id}-keys`}
          aria-invalid={error !== null || undefined}
          onChange={(event) => onValue(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onFocus={() => setTakesTab(true)}
          onScroll={({ currentTarget }) => {
            if (lines.current !== null) lines.current.style.top = `${-currentTarget.scrollTop}px`;
          }}
        />
      </div>
      <p className={styles.keys} id={`${id}-keys`} aria-live="polite">
        {takesTab
          ? "Tab indents. Press Escape and then Tab to leave the code."
          : "Tab leaves the code."}
      </p>
      <Available />
    </Input.Wrapper>
  );
}

/** What the program reads, with the values of the last run. */
function Available() {
  const { samples, run } = useInspector();
  const { Event, Node, Env, Item, Index } = samples;
  const values = {
    event: Event ?? null,
    node: Node ?? {},
    env: Env ?? {},
    ...("Item" in samples && { item: Item ?? null, index: Index ?? 0 }),
  };
  return (
    <details className={styles.available}>
      <summary>
        {run === null ? "What the code can read" : "What the code can read, as in the last run"}
      </summary>
      {run === null && (
        <p className={styles.keys}>Run the workflow once to see real values here.</p>
      )}
      <JsonTree value={values} label="What the code can read" />
    </details>
  );
}

function countLines(text: string): number {
  let count = 1;
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) count += 1;
  return count;
}

/** Changes the text as typing does, so that the browser's Undo takes it back. */
function applyEdit(area: HTMLTextAreaElement, { from, to, insert, start, end }: TextEdit): void {
  area.setSelectionRange(from, to);
  const command = insert === "" ? "delete" : "insertText";
  // There is no other way that keeps the browser's Undo.
  if (from !== to || insert !== "") document.execCommand(command, false, insert);
  area.setSelectionRange(start, end);
}
