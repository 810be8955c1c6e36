/** A parsed template: immutable, and independent of the data that it is rendered with. */
export type Template = {
  readonly source: string;
  readonly nodes: readonly Node[];
  /** The only expression of a template that is nothing else, which keeps the type of its value. */
  readonly whole: ActionNode | null;
  /** How many variables it declares. */
  readonly slots: number;
};

export type Node = TextNode | ActionNode | BranchNode | RangeNode | LoopExitNode;

export type TextNode = { readonly kind: "text"; readonly text: string };

/** An action that prints its value, unless it declares a variable. */
export type ActionNode = { readonly kind: "action"; readonly pipeline: Pipeline };

/** `if` or `with`, with its `else if` or `else with` branches. */
export type BranchNode = {
  readonly kind: "if" | "with";
  readonly branches: readonly { readonly pipeline: Pipeline; readonly body: readonly Node[] }[];
  readonly otherwise: readonly Node[];
};

export type RangeNode = {
  readonly kind: "range";
  readonly pipeline: Pipeline;
  readonly body: readonly Node[];
  /** Null if there is no `else`. */
  readonly otherwise: readonly Node[] | null;
};

export type LoopExitNode = { readonly kind: "break" | "continue" };

/** Commands, each of which gets the value of the one before as its last argument. */
export type Pipeline = {
  readonly commands: readonly Command[];
  /** The slots of the variables that get the value; for `range` the key and the value. */
  readonly variables: readonly number[];
  /** The place of the pipeline in the source. */
  readonly start: number;
  readonly end: number;
};

/** An operand, or a function with its arguments. */
export type Command = {
  readonly operands: readonly [Operand, ...Operand[]];
  readonly start: number;
};

export type Operand = { readonly start: number } & (
  | { readonly kind: "literal"; readonly value: unknown }
  /** `.`, or fields of it. */
  | { readonly kind: "dot"; readonly path: readonly string[] }
  /** Fields of the data, such as `.Event.Payload`, or `$.Event` where `.` is something else. */
  | { readonly kind: "root"; readonly root: RootName; readonly path: readonly string[] }
  | { readonly kind: "variable"; readonly slot: number; readonly path: readonly string[] }
  | { readonly kind: "function"; readonly name: string; readonly path: readonly string[] }
  /** A pipeline in parentheses, or fields of its value. */
  | { readonly kind: "group"; readonly pipeline: Pipeline; readonly path: readonly string[] }
);

export type RootName = (typeof rootNames)[number];

/** The data that templates can read. */
export const rootNames = [
  "Event",
  "Node",
  "Env",
  "Secret",
  "Run",
  "Workflow",
  "Item",
  "Index",
] as const;
