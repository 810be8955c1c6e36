/** A list in which an item anywhere is removed in one step. */
export type LinkedList<Value> = {
  size: number;
  first: Link<Value> | null;
  last: Link<Value> | null;
};

/** The place of an item in its list. */
export type Link<Value> = {
  readonly value: Value;
  before: Link<Value> | null;
  after: Link<Value> | null;
};

export function createLinkedList<Value>(): LinkedList<Value> {
  return { size: 0, first: null, last: null };
}

export function appendTo<Value>(list: LinkedList<Value>, value: Value): Link<Value> {
  const link: Link<Value> = { value, before: null, after: null };
  appendLink(list, link);
  return link;
}

/** The link must be in this list. */
export function removeFrom<Value>(list: LinkedList<Value>, link: Link<Value>): void {
  if (link.before === null) list.first = link.after;
  else link.before.after = link.after;
  if (link.after === null) list.last = link.before;
  else link.after.before = link.before;
  link.before = null;
  link.after = null;
  list.size -= 1;
}

/** The link must be in this list. */
export function moveToEnd<Value>(list: LinkedList<Value>, link: Link<Value>): void {
  if (list.last === link) return;
  removeFrom(list, link);
  appendLink(list, link);
}

/** The link must be in no list. */
export function appendLink<Value>(list: LinkedList<Value>, link: Link<Value>): void {
  link.before = list.last;
  if (list.last === null) list.first = link;
  else list.last.after = link;
  list.last = link;
  list.size += 1;
}
