import { writeExpression } from "./write-expression.ts";

/** What an expression can read, as a tree of sample values. `undefined` values are unknown. */
export type Samples = Readonly<Record<string, unknown>>;

export type Completion = {
  /** What is shown. */
  name: string;
  /** What is inserted. */
  expression: string;
  /** The last real value, in one line. */
  sample: string;
};

export type Completions = {
  /** The part of the text that a choice replaces. */
  from: number;
  to: number;
  options: Completion[];
};

const optionsMax = 50;
const sampleCharsMax = 60;
/**
 * What can be inserted at a place of a template: the members of what is written before it, such as
 * those of `.Event.Payload` in `{{.Event.Payload.`. Null outside of an expression.
 */
export function findCompletions(text: string, at: number, samples: Samples): Completions | null {
  const before = text.slice(0, at);
  const open = before.lastIndexOf("{{");
  if (open < 0 || before.lastIndexOf("}}") > open) return null;
  const inside = before.slice(open + 2);
  // The last path that is being written; a name in quotes is a text.
  if (isInText(inside)) return null;
  const path = /(?:^|[\s(|,=-])((?:\.[A-Za-z0-9_]*)*)$/.exec(inside)?.[1];
  if (path === undefined) return null;
  if (path === "" && inside.trim() !== "") return null;
  const names = path.split(".").slice(1);
  const typed = names.pop() ?? "";
  let value: unknown = samples;
  for (const name of names) value = readMember(value, name);
  const isAlone = inside.trim() === path;
  const options = listMembers(value, typed).map(([name, one]) => {
    const { text: written, isCall } = writeExpression([...names, name]);
    const expression = isCall && !isAlone ? `(${written})` : written;
    return { name, expression, sample: toSample(one) };
  });
  if (options.length === 0) return null;
  const rest = /^[A-Za-z0-9_]*/.exec(text.slice(at))?.[0].length ?? 0;
  return { from: at - path.length, to: at + rest, options };
}

function isInText(inside: string): boolean {
  return (inside.match(/"/g) ?? []).length % 2 === 1 || (inside.match(/`/g) ?? []).length % 2 === 1;
}

function readMember(value: unknown, name: string): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return undefined;
  return Object.hasOwn(value, name) ? Reflect.get(value, name) : undefined;
}

function listMembers(value: unknown, typed: string): Array<[name: string, value: unknown]> {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return [];
  const wanted = typed.toLowerCase();
  return Object.entries(value)
    .filter(([name]) => name.toLowerCase().startsWith(wanted))
    .filter(([name], _, all) => all.length > 1 || name !== typed)
    .slice(0, optionsMax);
}

/** A value in one short line. */
export function toSample(value: unknown): string {
  if (value === undefined) return "";
  if (typeof value === "string") return cut(value);
  if (Array.isArray(value)) return `list of ${value.length}`;
  if (typeof value === "object" && value !== null && !("toJSON" in value)) {
    const names = Object.keys(value);
    return cut(`{ ${names.slice(0, 10).join(", ")} }`);
  }
  return cut(JSON.stringify(value));
}

function cut(text: string): string {
  const line = text.slice(0, sampleCharsMax * 2).replace(/\s+/g, " ");
  return line.length > sampleCharsMax ? `${line.slice(0, sampleCharsMax)}…` : line;
}

/** The text after a choice, and where the cursor is then. */
export function applyCompletion(
  text: string,
  { from, to }: Completions,
  { expression: inserted }: Completion,
): { text: string; at: number } {
  const rest = text.slice(to);
  // An expression without an end is closed after its first choice.
  const close = /^[^{]*\}\}/.test(rest) ? "" : "}}";
  return { text: text.slice(0, from) + inserted + close + rest, at: from + inserted.length };
}
