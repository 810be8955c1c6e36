import { type Body, findItem, type Item } from "../../graph/body.ts";
import type { ItemProblem } from "./draft-problems.ts";

/** A text in a field that gives no value, such as JSON without its last brace. */
export type UnreadText = {
  /** The item, and the names of the field in it. */
  id: string;
  field: readonly string[];
  text: string;
  /** What the draft has there. With another value, the text is no longer what was typed. */
  value: unknown;
  problem: string;
};

export type UnreadTexts = {
  list: () => readonly UnreadText[];
  subscribe: (onChange: () => void) => () => void;
  find: (id: string, field: readonly string[]) => UnreadText | null;
  keep: (text: UnreadText) => void;
  drop: (id: string, field: readonly string[]) => void;
  /** Follows an item to its new id. */
  rename: (from: string, to: string) => void;
};

/** What was typed and cannot be stored, as long as the draft is open. */
export function createUnreadTexts(): UnreadTexts {
  let texts: readonly UnreadText[] = [];
  const listeners = new Set<() => void>();
  const set = (next: readonly UnreadText[]) => {
    texts = next;
    for (const listener of listeners) listener();
  };
  const isAt = (one: UnreadText, id: string, field: readonly string[]) =>
    one.id === id && one.field.join("/") === field.join("/");
  const without = (id: string, field: readonly string[]) =>
    texts.filter((one) => !isAt(one, id, field));
  return {
    list: () => texts,
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    find: (id, field) => texts.find((one) => isAt(one, id, field)) ?? null,
    keep: (text) => set([...without(text.id, text.field), text]),
    drop(id, field) {
      const rest = without(id, field);
      if (rest.length < texts.length) set(rest);
    },
    rename(from, to) {
      if (!texts.some(({ id }) => id === from)) return;
      set(texts.map((one) => (one.id === from ? { ...one, id: to } : one)));
    },
  };
}

/** The unread texts as problems of the draft. Those of items that are gone or have other values are none. */
export function listUnreadProblems(body: Body, texts: readonly UnreadText[]): ItemProblem[] {
  return texts.flatMap(({ id, field, value, problem }) => {
    const item = findItem(body, id);
    if (item === null || readField(item, field) !== value) return [];
    const path = `${id}/${field.join("/")}`;
    return [{ id, field: [...field], path, severity: "error", message: problem, hint: "" }];
  });
}

function readField(item: Item, field: readonly string[]): unknown {
  let value: unknown = item;
  for (const name of field) value = Object(value)[name];
  return value ?? undefined;
}
