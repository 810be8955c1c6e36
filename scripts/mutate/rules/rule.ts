/** The members of a syntax tree node that the rules read. */
export type Node = {
  type: string;
  start: number;
  end: number;
  [member: string]: unknown;
};

export type Change = { kind: string; start: number; end: number; after: string };
/** Lists the possible faults of one kind at a node. */
export type Rule = (node: Node, parents: readonly Node[], text: string) => Change[];

export const replace = (node: Node, kind: string, after: string): Change => ({
  kind,
  start: node.start,
  end: node.end,
  after,
});

export function read(node: Node, text: string): string {
  return text.slice(node.start, node.end);
}

export function member(node: Node, name: string): Node | null {
  const value = node[name];
  // The cast is safe: an object of the syntax tree with a type is a node.
  return typeof value === "object" && value !== null && "type" in value ? (value as Node) : null;
}

export function list(node: Node, name: string): Node[] {
  const value = node[name];
  return Array.isArray(value) ? value : [];
}

/** An element of a list, with the comma behind it. */
export function toDropped(element: Node, text: string): Omit<Change, "kind"> {
  const comma = /^\s*,/.exec(text.slice(element.end))?.[0].length ?? 0;
  return { start: element.start, end: element.end + comma, after: "" };
}
