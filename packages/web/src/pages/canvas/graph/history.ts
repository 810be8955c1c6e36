import type { Body } from "./body.ts";

/** The states of a body that Undo and Redo go through. */
export type History = {
  readonly past: readonly Body[];
  readonly now: Body;
  readonly future: readonly Body[];
  /** What the last change was about. A further change of the same joins it. */
  readonly subject: string | null;
};

const statesMax = 200;

export function startHistory(body: Body): History {
  return { past: [], now: body, future: [], subject: null };
}

/** Records a change. Changes of the same subject in a row, such as one field, are one step of Undo. */
export function record(history: History, body: Body, subject: string | null = null): History {
  if (body === history.now) return history;
  const joins = subject !== null && subject === history.subject && history.past.length > 0;
  const past = joins ? history.past : [...history.past, history.now].slice(-statesMax);
  return { past, now: body, future: [], subject };
}

export function undo(history: History): History {
  const before = history.past.at(-1);
  if (before === undefined) return history;
  const future = [history.now, ...history.future];
  return { past: history.past.slice(0, -1), now: before, future, subject: null };
}

export function redo(history: History): History {
  const [next, ...future] = history.future;
  if (next === undefined) return history;
  return { past: [...history.past, history.now], now: next, future, subject: null };
}

/** Ends the step of Undo: the next change is a step of its own. */
export function endStep(history: History): History {
  return history.subject === null ? history : { ...history, subject: null };
}
