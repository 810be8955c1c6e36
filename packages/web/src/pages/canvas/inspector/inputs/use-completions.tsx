import { type KeyboardEvent, type RefObject, useLayoutEffect, useRef, useState } from "react";
import {
  applyCompletion,
  type Completion,
  type Completions,
  findCompletions,
} from "../../expressions/find-completions.ts";
import styles from "../inspector.module.css";
import { useInspector } from "../inspector-context.ts";

/** What can be read at the caret of a template, while it is typed there, and the keys that choose of it. */
export function useCompletions(
  input: RefObject<HTMLTextAreaElement | null>,
  text: string,
  onText: (text: string) => void,
) {
  const { samples } = useInspector();
  /** Where the caret goes once a chosen completion is in the text. */
  const caret = useRef<{ text: string; at: number } | null>(null);
  const [found, setFound] = useState<Completions | null>(null);
  const [active, setActive] = useState(0);
  // Before the browser handles the next key, which must not land behind the text.
  useLayoutEffect(() => {
    const next = caret.current;
    if (next === null || next.text !== text) return;
    caret.current = null;
    input.current?.focus();
    input.current?.setSelectionRange(next.at, next.at);
  }, [input, text]);
  const look = (element: HTMLTextAreaElement, typed = element.value) => {
    const at = element.selectionEnd;
    setFound(at === element.selectionStart ? findCompletions(typed, at, samples) : null);
    setActive(0);
  };
  const choose = (option: Completion) => {
    if (found === null) return;
    const next = applyCompletion(text, found, option);
    caret.current = next;
    onText(next.text);
    setFound(null);
  };
  const onKeyDown = (event: KeyboardEvent<HTMLTextAreaElement>) => {
    if (found === null) return;
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    const count = found.options.length;
    if (step !== undefined) setActive((active + step + count) % count);
    else if (event.key === "Enter" || event.key === "Tab") {
      const option = found.options[active];
      if (option !== undefined) choose(option);
    } else if (event.key === "Escape") setFound(null);
    else return;
    event.preventDefault();
    event.stopPropagation();
  };
  return { found, active, look, choose, close: () => setFound(null), onKeyDown };
}

type OffersProps = {
  listId: string;
  label: string;
  options: readonly Completion[];
  /** Index of the option that Enter chooses. */
  active: number;
  onChoose: (option: Completion) => void;
};

export function Offers({ listId, label, options, active, onChoose }: OffersProps) {
  return (
    <div id={listId} role="listbox" aria-label={label} className={styles.offers}>
      {options.map((option, at) => (
        // biome-ignore lint/a11y/useKeyWithClickEvents: the keys are those of the text.
        <div
          key={option.name}
          id={`${listId}-${at}`}
          role="option"
          aria-selected={at === active}
          // The text keeps the focus.
          onMouseDown={(event) => event.preventDefault()}
          onClick={() => onChoose(option)}
        >
          <code>{option.name}</code>
          <span className={styles.soft}>{option.sample}</span>
        </div>
      ))}
    </div>
  );
}
