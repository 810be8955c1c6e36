import { HubError } from "@hub/server/errors.ts";
import { type AST, getStaticTOMLValue, ParseError, parseTOML } from "toml-eslint-parser";
import type { Entry } from "../client-definition.ts";
import {
  applyEdits,
  type ConfigText,
  type Edit,
  type EntryPath,
  findLineBreak,
  keepMark,
  toTextError,
} from "./config-text.ts";

/**
 * TOML. The entry is written as tables of its own at the end of the file. Each result is parsed and
 * compared with what it should contain, because tables can be written in many ways.
 */
export const tomlText: ConfigText = {
  find(text, path) {
    const { values } = parse(withoutMark(text));
    return readMember(readMember(values, path.container), path.name);
  },

  hasContainer: (text, container) =>
    readMember(parse(withoutMark(text)).values, container) !== undefined,

  set: (text, path, entry) => keepMark(text, (body) => setEntry(body, path, entry)),

  remove: (text, path, options) =>
    keepMark(text, (body) => removeEntry(body, path, options.keepsContainer)),

  print: printTables,
};

type Parsed = { nodes: readonly AST.TOMLNode[]; values: unknown };

function setEntry(text: string, path: EntryPath, entry: Entry): string {
  const eol = findLineBreak(text);
  const block = printTables(path, entry).replaceAll("\n", eol);
  const { nodes, values } = parse(text);
  const ranges = findLines(text, nodes, path);
  const [first] = ranges;
  let changed: string;
  if (first === undefined) {
    const start = text === "" || text.endsWith("\n") ? text : text + eol;
    changed = `${start}${start.trim() === "" ? "" : eol}${block}${eol}`;
  } else if (ranges.length === 1 && text.startsWith("[", first.start)) {
    changed = applyEdits(text, [
      { ...first, text: `${block}${text.slice(0, first.end).endsWith("\n") ? eol : ""}` },
    ]);
  } else {
    return setEntry(removeEntry(text, path, true), path, entry);
  }
  checkResult(changed, withEntry(values, path, entry), path);
  return changed;
}

function removeEntry(text: string, path: EntryPath, keepsContainer: boolean): string {
  const { nodes, values } = parse(text);
  if (readMember(readMember(values, path.container), path.name) === undefined) return text;
  const edits = findLines(text, nodes, path).map((range) => toRemoval(text, range));
  const changed = applyEdits(text, edits);
  checkResult(changed, withEntry(values, path, undefined), path);
  const left = parse(changed);
  const header = findHeader(left.nodes, path.container);
  const isEmpty = Object.keys(Object(readMember(left.values, path.container))).length === 0;
  if (!isEmpty || keepsContainer || header === null) return changed;
  return applyEdits(changed, [toRemoval(changed, toLines(changed, header.range))]);
}

/**
 * The lines of each table and key of the entry. Neighbours are one range, with the blank lines
 * between them.
 */
function findLines(text: string, nodes: readonly AST.TOMLNode[], path: EntryPath): Edit[] {
  const own = listParts(nodes)
    .filter(({ keys }) => keys[0] === path.container && keys[1] === path.name)
    .map(({ node }) => toLines(text, node.range));
  const merged: Edit[] = [];
  for (const range of own) {
    const last = merged.at(-1);
    if (last !== undefined && text.slice(last.end, range.start).trim() === "") last.end = range.end;
    else merged.push({ ...range });
  }
  return merged;
}

type Part = { keys: readonly unknown[]; node: AST.TOMLNode };

/** Tables and keys with their full names. Short tables, such as `[mcp_servers]`, by their keys. */
function listParts(nodes: readonly AST.TOMLNode[]): Part[] {
  return nodes.flatMap((node): Part[] => {
    if (node.type === "TOMLKeyValue") return [{ keys: readKeys(node.key), node }];
    if (node.type !== "TOMLTable") return [];
    const { resolvedKey } = node;
    if (resolvedKey.length > 1) return [{ keys: resolvedKey, node }];
    return node.body.map((item) => ({ keys: [...resolvedKey, ...readKeys(item.key)], node: item }));
  });
}

function readKeys(key: AST.TOMLKey): string[] {
  return key.keys.map((part) => (part.type === "TOMLBare" ? part.name : part.value));
}

function findHeader(nodes: readonly AST.TOMLNode[], container: string): AST.TOMLNode | null {
  const found = nodes.find(
    (node) =>
      node.type === "TOMLTable" &&
      node.kind === "standard" &&
      node.resolvedKey.length === 1 &&
      node.resolvedKey[0] === container,
  );
  return found ?? null;
}

/** Whole lines, but not a comment after the range in its last line. */
function toLines(text: string, [from, to]: AST.Range): Edit {
  const start = text.lastIndexOf("\n", from - 1) + 1;
  const rest = /^[ \t]*(\r?\n|$)/.exec(text.slice(to, to + 1000));
  return { start, end: to + (rest?.[0].length ?? 0), text: "" };
}

/** Removes one blank line too, if blank lines or an end of the file surround the range. */
function toRemoval(text: string, range: Edit): Edit {
  const before = text.slice(0, range.start);
  const after = text.slice(range.end);
  const isFollowedByBlank = after.trim() === "" || /^[ \t]*\r?\n/.test(after);
  const isSeparated = isFollowedByBlank && before.trim() !== "";
  const blank = isSeparated ? /(?<=\n)[ \t]*\r?\n$/.exec(before) : null;
  return { ...range, start: range.start - (blank?.[0].length ?? 0) };
}

function printTables({ container, name }: EntryPath, entry: Entry): string {
  return printTable([container, name], entry).join("\n\n");
}

/** A table, then the tables in it. */
function printTable(path: readonly string[], table: object): string[] {
  const members = Object.entries(table);
  const pairs = members.filter(([, value]) => !isTable(value)).map(printPair);
  const inner = members.flatMap(([key, value]) =>
    isTable(value) ? printTable([...path, key], value) : [],
  );
  return [[`[${path.map(printKey).join(".")}]`, ...pairs].join("\n"), ...inner];
}

function isTable(value: unknown): value is object {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** JSON's strings, numbers and arrays of them are valid TOML. */
function printPair([key, value]: [string, unknown]): string {
  const text = Array.isArray(value)
    ? `[${value.map((item) => JSON.stringify(item)).join(", ")}]`
    : JSON.stringify(value);
  return `${printKey(key)} = ${text}`;
}

function printKey(key: string): string {
  return /^[\w-]+$/.test(key) ? key : JSON.stringify(key);
}

function parse(text: string): Parsed {
  try {
    const program = parseTOML(text);
    return { nodes: program.body[0].body, values: getStaticTOMLValue(program) };
  } catch (cause) {
    if (cause instanceof RangeError) throw new HubError("bad_request", "it is nested too deeply.");
    if (!(cause instanceof ParseError)) throw cause;
    throw toTextError(text, cause.index, `${cause.message.toLowerCase()}.`);
  }
}

function withEntry(values: unknown, { container, name }: EntryPath, entry: unknown): unknown {
  const { [name]: _, ...others } = Object(readMember(values, container));
  const servers = entry === undefined ? others : { ...others, [name]: entry };
  return { ...Object(values), [container]: servers };
}

/** Compares without empty containers, which a removal may leave out. */
function checkResult(text: string, expected: unknown, { container }: EntryPath): void {
  const values = tryParse(text);
  const complete = { ...Object(values), [container]: readMember(values, container) ?? {} };
  if (values !== null && Bun.deepEquals(complete, expected)) return;
  throw new HubError(
    "conflict",
    `this command cannot edit the way in which "${container}" is written there, such as an inline table. Edit it by hand.`,
  );
}

function tryParse(text: string): unknown {
  try {
    return parse(text).values;
  } catch {
    return null;
  }
}

function readMember(value: unknown, key: string): unknown {
  return typeof value === "object" && value !== null && Object.hasOwn(value, key)
    ? Reflect.get(value, key)
    : undefined;
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
