/** Where a value is: the names of members, and the numbers of the items of lists. */
export type ValuePath = ReadonlyArray<string | number>;

/** The part of a template between its braces, such as `.Event.Payload.id`. */
export type Expression = {
  text: string;
  /** It calls `index`. Within another expression, it then stands in parentheses. */
  isCall: boolean;
};

const namePattern = /^[A-Za-z_][A-Za-z0-9_]*$/;

/** Reads a value in a template. Items, and names with other characters, are read by `index`. */
export function writeExpression(path: ValuePath): Expression {
  let text = "";
  let keys: string[] = [];
  const call = () => `index ${text === "" ? "." : text} ${keys.join(" ")}`;
  for (const step of path) {
    if (typeof step === "number" || !namePattern.test(step)) {
      keys.push(typeof step === "number" ? String(step) : quote(step));
      continue;
    }
    if (keys.length > 0) text = `(${call()})`;
    keys = [];
    text += `.${step}`;
  }
  return keys.length > 0 ? { text: call(), isCall: true } : { text, isCall: false };
}

/** A text of a template. Braces are escaped, so that no text looks like the end of an expression. */
function quote(text: string): string {
  return JSON.stringify(text).replace(/[{}]/g, (brace) => (brace === "{" ? "\\u007b" : "\\u007d"));
}

const scriptNames: Readonly<Record<string, string>> = {
  Event: "event",
  Node: "node",
  Env: "env",
  Item: "item",
  Index: "index",
};

/** Reads a value in the program of a `code` node. Null for what programs cannot read. */
export function writeScript([root = "", ...steps]: ValuePath): string | null {
  const name = scriptNames[root];
  if (name === undefined) return null;
  return steps.reduce<string>(
    (text, step) =>
      typeof step === "string" && namePattern.test(step)
        ? `${text}.${step}`
        : `${text}[${JSON.stringify(step)}]`,
    name,
  );
}
