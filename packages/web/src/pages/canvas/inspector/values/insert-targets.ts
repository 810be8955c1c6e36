import { insertValue, type TextKind } from "../../expressions/insert-value.ts";
import { type ValuePath, writeExpression } from "../../expressions/write-expression.ts";

/** Takes a whole expression instead of a fixed value. False for a field that is an expression already. */
type TakeWhole = (template: string) => boolean;

/** Where a value of the tree goes. */
export type InsertTargets = {
  /** Makes a field take values. */
  register: (field: Element, take: TakeWhole) => () => void;
  /** An input got the focus. Ignored if it takes no values. */
  remember: (element: Element) => void;
  /** Makes the input of a field the next one, unless another of the field had the focus last. */
  aim: (field: Element) => void;
  /** The name of the field that had the focus last. Null before the first one. */
  describe: () => string | null;
  subscribe: (onChange: () => void) => () => void;
  /** Inserts a value into a field, or into that which had the focus last. Says what came of it. */
  insert: (path: ValuePath, field?: Element) => { isDone: boolean; message: string };
};

/** The dragged value, as JSON of its path. */
export const valueMime = "application/x-hub-value";

const inputs = "textarea, input, select";

/** Remembers which field had the focus last, and puts values into fields. */
export function createInsertTargets(): InsertTargets {
  const takers = new WeakMap<Element, TakeWhole>();
  const listeners = new Set<() => void>();
  let last: { input: Element; field: Element; id: string } | null = null;

  const findTaker = (element: Element): TakeWhole | undefined => {
    let at: Element | null = element;
    while (at !== null && !takers.has(at)) at = at.parentElement;
    return at === null ? undefined : takers.get(at);
  };
  /** A field that became an expression has another input than that which had the focus. */
  const findInput = (): Element | null => {
    if (last === null) return null;
    if (last.input.isConnected) return last.input;
    if (last.field.isConnected) return last.field.querySelector(inputs);
    return last.id === "" ? null : document.getElementById(last.id);
  };
  const remember = (element: Element) => {
    const input = element.closest(inputs);
    const field = element.closest("[data-takes-values]");
    if (field === null || input === null) return;
    last = { input, field, id: input.id };
    for (const listener of listeners) listener();
  };
  return {
    register(field, take) {
      takers.set(field, take);
      field.setAttribute("data-takes-values", "");
      return () => takers.delete(field);
    },
    remember,
    aim(field) {
      const input = findInput();
      if (input !== null && field.contains(input)) return;
      const own = [...field.querySelectorAll(inputs)].at(-1);
      if (own !== undefined) remember(own);
    },
    describe() {
      const input = findInput();
      return input === null ? null : toLabel(input);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    insert(path, given) {
      const input = given?.matches(inputs) ? given : (given?.querySelector(inputs) ?? null);
      const at = input ?? (given === undefined ? findInput() : null);
      if (at === null) {
        return { isDone: false, message: "Choose a field first: click into it, then on a value." };
      }
      const field = at.closest("[data-takes-values]") ?? at;
      last = { input: at, field, id: at.id };
      const name = toLabel(at);
      const whole = `{{${writeExpression(path).text}}}`;
      const isDone = findTaker(at)?.(whole) === true || insertInInput(at, path);
      for (const listener of listeners) listener();
      return {
        isDone,
        message: isDone ? `Inserted into ${name}.` : `${name} cannot take this value.`,
      };
    },
  };
}

function insertInInput(input: Element, path: ValuePath): boolean {
  const isText = input instanceof HTMLTextAreaElement || input instanceof HTMLInputElement;
  const kind = input.closest("[data-text]")?.getAttribute("data-text");
  if (!isText || kind == null) return false;
  const { value: text, selectionStart, selectionEnd } = input;
  const start = selectionStart ?? text.length;
  // The attribute is written by the inputs of this folder.
  const edit = insertValue({ text, start, end: selectionEnd ?? start }, path, kind as TextKind);
  if (edit === null) return false;
  input.focus();
  input.setSelectionRange(edit.from, edit.to);
  // There is no other way that keeps the browser's Undo.
  return document.execCommand("insertText", false, edit.insert);
}

function toLabel(input: Element): string {
  const labels = input instanceof HTMLElement && "labels" in input ? input.labels : null;
  const [label] = labels instanceof NodeList ? labels : [];
  const text = input.getAttribute("aria-label") ?? label?.textContent ?? "the field";
  return text.replace(/\s*\*$/, "");
}
