import { HubError } from "@hub/server/errors.ts";
import type { Entry } from "../client-definition.ts";

/** The place of a server in a file: a member of a container. */
export type EntryPath = { container: string; name: string };

/**
 * Edits of one file format. They change the bytes of one entry and of what joins it to the rest.
 * All throw `bad_request` with line and column if the text cannot be parsed.
 */
export type ConfigText = {
  /** Returns the value of the entry, or undefined. */
  find(text: string, path: EntryPath): unknown;
  hasContainer(text: string, container: string): boolean;
  /** Adds the entry, or replaces its value. */
  set(text: string, path: EntryPath, entry: Entry): string;
  /** Removes the entry, and its container too if that is empty then and is not kept. */
  remove(text: string, path: EntryPath, options: { keepsContainer: boolean }): string;
  /** The text of a file that has only this entry. */
  print(path: EntryPath, entry: Entry): string;
};

/** An error at a place of a file. Line and column count from 1, as editors show them. */
export function toTextError(text: string, offset: number, problem: string): HubError {
  const before = text.slice(0, offset);
  const line = before.split("\n").length;
  const column = offset - before.lastIndexOf("\n");
  return new HubError("bad_request", `line ${line}, column ${column}: ${problem}`);
}

/** The line break that the text uses first. */
export function findLineBreak(text: string): string {
  return /\r\n|\n|\r/.exec(text)?.[0] ?? "\n";
}

export function hasLineBreak(text: string): boolean {
  return /[\n\r]/.test(text);
}

/** A part of a text and what replaces it. */
export type Edit = { start: number; end: number; text: string };

/** Applies edits that do not overlap. */
export function applyEdits(text: string, edits: readonly Edit[]): string {
  const parts: string[] = [];
  let at = 0;
  for (const edit of edits.toSorted((a, b) => a.start - b.start)) {
    parts.push(text.slice(at, edit.start), edit.text);
    at = edit.end;
  }
  return parts.join("") + text.slice(at);
}

/** Runs an edit on a text without its byte order mark, and puts the mark back. */
export function keepMark(text: string, edit: (text: string) => string): string {
  return text.startsWith("\uFEFF") ? `\uFEFF${edit(text.slice(1))}` : edit(text);
}
