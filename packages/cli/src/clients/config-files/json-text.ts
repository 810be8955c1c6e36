import { HubError } from "@hub/server/errors.ts";
import { createScanner, getNodeValue, type Node } from "jsonc-parser";
import type { Entry } from "../client-definition.ts";
import {
  applyEdits,
  type ConfigText,
  type Edit,
  type EntryPath,
  findLineBreak,
  hasLineBreak,
  keepMark,
} from "./config-text.ts";
import { isFirstOfLine, readIndentUnit, readLineIndent } from "./indentation.ts";
import { findEntryNodes, listProperties } from "./json-nodes.ts";

/** JSON, with comments and trailing commas. */
export const jsonText: ConfigText = {
  find(text, path) {
    const { entry } = findEntryNodes(withoutMark(text), path);
    return entry === null ? undefined : getNodeValue(entry.value);
  },

  hasContainer: (text, container) =>
    findEntryNodes(withoutMark(text), { container, name: "" }).container !== null,

  set(text, path, entry) {
    const changed = keepMark(text, (body) => setEntry(body, path, entry));
    if (Bun.deepEquals(jsonText.find(changed, path), entry)) return changed;
    throw new HubError("conflict", "it is written in a way that this command cannot edit.");
  },

  remove: (text, path, options) =>
    keepMark(text, (body) => removeEntry(body, path, options.keepsContainer)),

  print: ({ container, name }, entry) =>
    JSON.stringify({ [container]: { [name]: entry } }, null, 2),
};

function setEntry(text: string, path: EntryPath, entry: Entry): string {
  const { root, container, entry: old } = findEntryNodes(text, path);
  const eol = findLineBreak(text);
  if (root === null) {
    const start = text === "" || text.endsWith("\n") ? text : text + eol;
    return `${start}${jsonText.print(path, entry).replaceAll("\n", eol)}${eol}`;
  }
  if (old !== null) {
    const { offset, length } = old.value;
    const isOneLine = !hasLineBreak(text.slice(offset, offset + length));
    const isCompact = isOneLine && length > 2;
    const indent = readLineIndent(text, old.node.offset);
    const value = isCompact ? printInline(entry, text) : printBlock(entry, text, indent);
    return applyEdits(text, [{ start: offset, end: offset + length, text: value }]);
  }
  return container === null
    ? applyEdits(text, insertProperty(text, root, path.container, { [path.name]: entry }))
    : applyEdits(text, insertProperty(text, container.value, path.name, entry));
}

function removeEntry(text: string, path: EntryPath, keepsContainer: boolean): string {
  const { root, container, entry } = findEntryNodes(text, path);
  if (root === null || container === null || entry === null) return text;
  const rest = applyEdits(text, removeProperty(text, container.value, path.name));
  const left = findEntryNodes(rest, path);
  if (keepsContainer || left.root === null || left.container === null) return rest;
  const isEmpty =
    left.container.value.children?.length === 0 && !hasComment(rest, left.container.value);
  return isEmpty ? applyEdits(rest, removeProperty(rest, left.root, path.container)) : rest;
}

/** Adds a member at the end of an object. Comments after the last member stay where they are. */
function insertProperty(text: string, parent: Node, key: string, value: unknown): Edit[] {
  const { offset, length } = parent;
  const end = offset + length - 1;
  const inner = text.slice(offset + 1, end);
  const last = parent.children?.at(-1);
  const start = last === undefined ? offset + 1 : last.offset + last.length;
  const { comma, contentEnd } = readGap(text, start, end);
  const eol = findLineBreak(text);
  const name = JSON.stringify(key);

  if (last === undefined) {
    const hasOneLine = hasLineBreak(inner) ? false : isOneLine(text) || inner.trim() !== "";
    if (hasOneLine) return [insert(contentEnd, printMember(key, value, text))];
    const outer = readLineIndent(text, offset);
    const indent = outer + readIndentUnit(text);
    const property = `${eol}${indent}${name}: ${printBlock(value, text, indent)}`;
    return [insert(contentEnd, hasLineBreak(inner) ? property : `${property}${eol}${outer}`)];
  }

  const separator = comma === null ? [insert(start, ",")] : [];
  if (!hasLineBreak(inner)) {
    const property = `${/[,:] /.test(inner) ? " " : ""}${printMember(key, value, text)}`;
    return [...separator, insert(contentEnd, comma === null ? property : `${property},`)];
  }
  const indent = isFirstOfLine(text, last.offset)
    ? readLineIndent(text, last.offset)
    : readLineIndent(text, end) + readIndentUnit(text);
  const property = `${eol}${indent}${name}: ${printBlock(value, text, indent)}`;
  return [...separator, insert(contentEnd, comma === null ? property : `${property},`)];
}

/** Removes a member with the line break before it, and one comma. Comments stay. */
function removeProperty(text: string, parent: Node, key: string): Edit[] {
  const properties = listProperties(parent);
  const at = properties.findIndex((property) => property.key === key);
  const property = properties[at];
  if (property === undefined) return [];
  const previous = properties[at - 1]?.node;
  const next = properties[at + 1]?.node;
  const closing = parent.offset + parent.length - 1;
  const { node } = property;
  const start = previous === undefined ? parent.offset + 1 : previous.offset + previous.length;
  const end = node.offset + node.length;
  const before = readGap(text, start, node.offset);
  const after = readGap(text, end, next?.offset ?? closing);

  const isAlone =
    properties.length === 1 &&
    before.contentEnd === start &&
    after.contentEnd === (after.comma === null ? end : after.comma + 1);
  if (isAlone) return [{ start, end: closing, text: "" }];
  const edits = [{ start: before.contentEnd, end, text: "" }];
  const comma = after.comma ?? before.comma;
  if (comma !== null) edits.push({ start: comma, end: comma + 1, text: "" });
  return edits;
}

/** What lies between two offsets without values: a comma, and the end of the last comma or comment. */
function readGap(
  text: string,
  start: number,
  end: number,
): { comma: number | null; contentEnd: number } {
  const scanner = createScanner(text, false);
  scanner.setPosition(start);
  let comma: number | null = null;
  let contentEnd = start;
  while (scanner.getPosition() < end) {
    scanner.scan();
    const at = scanner.getTokenOffset();
    const token = text.slice(at, at + scanner.getTokenLength());
    if (token.trim() === "") continue;
    if (token === ",") comma = at;
    contentEnd = at + token.length;
  }
  return { comma, contentEnd };
}

function hasComment(text: string, parent: Node): boolean {
  const start = parent.offset + 1;
  return readGap(text, start, parent.offset + parent.length - 1).contentEnd > start;
}

function printBlock(value: unknown, text: string, indent: string): string {
  const block = JSON.stringify(value, null, readIndentUnit(text));
  return block.replaceAll("\n", `${findLineBreak(text)}${indent}`);
}

function printMember(key: string, value: unknown, text: string): string {
  const space = text.includes('": ') ? " " : "";
  return `${JSON.stringify(key)}:${space}${printInline(value, text)}`;
}

/** A value on one line, with spaces if the text has them after colons. */
function printInline(value: unknown, text: string): string {
  if (!text.includes('": ')) return JSON.stringify(value);
  // A line break of the printed JSON is never within a string.
  return JSON.stringify(value, null, 1).replace(
    /([[{])?\n *([\]}])?/g,
    (_, open = "", close = "") => (open || close ? open + close : " "),
  );
}

function isOneLine(text: string): boolean {
  return !hasLineBreak(text.trim()) && text.trim().length > 2;
}

function insert(at: number, text: string): Edit {
  return { start: at, end: at, text };
}

function withoutMark(text: string): string {
  return text.replace(/^\uFEFF/, "");
}
