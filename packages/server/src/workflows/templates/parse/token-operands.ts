import { suggest } from "@hub/connector";
import { functionNames } from "../function-names.ts";
import { parseNumber, unquote, unquoteRaw } from "./literals.ts";
import { type Operand, type RootName, rootNames } from "./template-nodes.ts";
import { nameToken, type TokenReader } from "./template-token-reader.ts";
import type { Token } from "./template-tokens.ts";

/** The names of the fields that directly follow a term. */
export function readFields(reader: TokenReader): string[] {
  const path: string[] = [];
  while (reader.peek().kind === "field") path.push(reader.next().text.slice(1));
  return path;
}

/** `nil`, `true` and `false`; null for another word. */
export function toWord({ text, offset }: Token): Operand | null {
  if (text === "nil") return { kind: "literal", value: null, start: offset };
  if (text !== "true" && text !== "false") return null;
  return { kind: "literal", value: text === "true", start: offset };
}

/** A function by its name. Throws if there is none. */
export function toFunction(reader: TokenReader, token: Token): Operand {
  const name = token.text;
  if (functionNames.some((one) => one === name)) {
    return { kind: "function", name, path: readFields(reader), start: token.offset };
  }
  if (["if", "else", "end", "range", "with", "break", "continue"].includes(name)) {
    throw reader.fail(token, `"${name}" must be the first word of its action: {{${name} …}}.`);
  }
  if (rootNames.some((root) => root === name)) {
    throw reader.fail(token, `There is no function "${name}". Did you mean ".${name}"?`);
  }
  throw reader.fail(token, `There is no function "${name}".${suggest(name, functionNames)}`);
}

/** Data of the run by its name, such as `.Event`, and the fields behind it. */
export function toRoot(reader: TokenReader, token: Token, path: string[]): Operand {
  const [name, second] = path;
  if (name === undefined) throw rootAlone(reader, token);
  const root: RootName | undefined = rootNames.find((one) => one === name);
  if (root === undefined) {
    const roots = rootNames.map((one) => `.${one}`);
    const hint = suggest(`.${name}`, roots) || ` Templates read ${listRoots()}.`;
    throw reader.fail(token, `There is no ".${name}".${hint}`);
  }
  if (root === "Secret" && path.length > 2) {
    throw reader.fail(token, `A secret has no fields: write .Secret.${second}.`);
  }
  return { kind: "root", root, path: path.slice(1), start: token.offset };
}

/** The error for a dot or a `$` that stands for all data of the run. */
export function rootAlone(reader: TokenReader, token: Token): Error {
  const reason = `"${token.text}" alone is all data of the run. Name a part of it: ${listRoots()}.`;
  return reader.fail(token, reason);
}

function listRoots(): string {
  const names = rootNames.map((name) => `.${name}`);
  return `${names.slice(0, -1).join(", ")} or ${names.at(-1)}`;
}

/** The value of a number, a character or a text. */
export function toLiteral(reader: TokenReader, token: Token): unknown {
  if (token.kind === "rawString") return unquoteRaw(token.text);
  if (token.kind === "number") {
    try {
      const value = parseNumber(token.text);
      if (value !== null) return value;
    } catch (thrown) {
      if (!(thrown instanceof RangeError)) throw thrown;
      throw reader.fail(token, `The number ${nameToken(token)} is too large.`);
    }
    throw reader.fail(token, `${nameToken(token)} is not a number.`);
  }
  const text = unquote(token.text);
  if (text === null) {
    throw reader.fail(
      token,
      `${nameToken(token)} has an unknown escape. Write \\\\ for a backslash, or use backquotes.`,
    );
  }
  if (token.kind === "string") return text;
  const code = text.codePointAt(0);
  if (code === undefined || String.fromCodePoint(code) !== text) {
    throw reader.fail(token, 'A character in single quotes is one character. Write text as "…".');
  }
  return code;
}
