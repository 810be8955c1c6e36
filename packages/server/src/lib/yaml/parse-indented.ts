import { EVENT_ID, type Event, parseEvents, SCALAR_STYLE, YAMLException } from "js-yaml";
import { countMarks } from "./count-marks.ts";

/** The column in the text as it was given, from one in the text as it was parsed. */
export type ToColumn = (line: number, column: number) => number;

/** A text as it was parsed. Its lines are those of the given text, some with more spaces before them. */
export type ParsedText = { text: string; events: readonly Event[]; toColumn: ToColumn };

const triesMax = 100;
/** What all tries may cost together, beyond the first one, in characters: some 200 ms, */
const triedCostMin = 16 * 1024 * 1024;
/** or this many times what the text costs. */
const wholeTries = 4;
/** A value takes as long as so many characters of a text. */
const markCost = 50;
const spacesMax = 256;

/**
 * Parses YAML to events. Between brackets the indentation of lines has no meaning. The parser refuses a line there with
 * less of it than the block around, such as `}` below its key, which other parsers read. So such lines get
 * spaces, and the text is parsed again. Throws a YAMLException.
 */
export function parseIndented(given: string, depthMax: number): ParsedText {
  const first = tryToParse(given, depthMax);
  if (!("failure" in first)) return { text: given, events: first.events, toColumn: (_, at) => at };
  if (!isIndentation(first.failure)) throw first.failure;
  return parseAgain(given, depthMax, first.failure);
}

/** The same exception, at the column of the given text. */
export function moveBack(failure: YAMLException, toColumn: ToColumn): YAMLException {
  const { mark, reason } = failure;
  if (mark === undefined) return failure;
  return new YAMLException(reason, { ...mark, column: toColumn(mark.line, mark.column) });
}

function parseAgain(given: string, depthMax: number, first: YAMLException): ParsedText {
  const starts = listLineStarts(given);
  const spaces = Math.min(spacesMax, findDeepest(given, starts) + 1);
  const known = new Set<number>();
  let guessed = new Set<number>();
  let failure = first;
  const marksCost = markCost * countMarks(given, Number.POSITIVE_INFINITY);
  let costLeft = Math.max(triedCostMin, wholeTries * (given.length + marksCost));
  const fail = () =>
    moveBack(failure, (line, column) => toGivenColumn(known, spaces, line, column));
  for (let tries = 0; tries < triesMax; tries += 1) {
    const line = failure.mark?.line ?? 0;
    if (isIndentation(failure) && !known.has(line)) {
      known.add(line);
      // A text with one such line often has hundreds, and each would be another try.
      if (tries === 0) guessed = listClosingLines(given, starts, line + 1, costLeft / spaces);
    } else if (guessed.size > 0) guessed = new Set();
    else throw fail();
    let isGuessWrong = true;
    while (isGuessWrong) {
      const lines = new Set([...known, ...guessed]);
      const { text, begins } = indent(given, starts, lines, spaces);
      costLeft -= text.length + marksCost;
      if (costLeft < 0) throw fail();
      const tried = tryToParse(text, depthMax);
      if ("failure" in tried) {
        failure = tried.failure;
        break;
      }
      isGuessWrong = false;
      for (const wrong of listInTexts(tried.events, begins)) {
        if (guessed.delete(wrong)) isGuessWrong = true;
      }
      if (isGuessWrong) continue;
      const toColumn: ToColumn = (at, column) => toGivenColumn(lines, spaces, at, column);
      return { text, events: tried.events, toColumn };
    }
  }
  throw fail();
}

function tryToParse(
  text: string,
  depthMax: number,
): { events: Event[] } | { failure: YAMLException } {
  try {
    return { events: parseEvents(text, { maxDepth: depthMax }) };
  } catch (failure) {
    if (failure instanceof YAMLException) return { failure };
    throw failure;
  }
}

function isIndentation({ reason, mark }: YAMLException): boolean {
  return reason === "deficient indentation" && mark !== undefined;
}

function toGivenColumn(
  lines: ReadonlySet<number>,
  spaces: number,
  line: number,
  column: number,
): number {
  return lines.has(line) ? Math.max(0, column - spaces) : column;
}

/** The offsets at which lines begin, as the parser counts them. */
function listLineStarts(text: string): number[] {
  const starts = [0];
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code !== 0x0a && code !== 0x0d) continue;
    if (code === 0x0d && text.charCodeAt(at + 1) === 0x0a) at += 1;
    starts.push(at + 1);
  }
  return starts;
}

function findDeepest(text: string, starts: readonly number[]): number {
  let deepest = 0;
  for (const start of starts) deepest = Math.max(deepest, countSpaces(text, start));
  return deepest;
}

function countSpaces(text: string, start: number): number {
  let at = start;
  while (text.charCodeAt(at) === 0x20 && at - start < spacesMax) at += 1;
  return at - start;
}

/** The lines that begin with a closing bracket. */
function listClosingLines(
  text: string,
  starts: readonly number[],
  from: number,
  countMax: number,
): Set<number> {
  const lines = new Set<number>();
  for (let line = from; line < starts.length && lines.size < countMax; line += 1) {
    const start = starts[line] ?? 0;
    const first = text.charAt(start + countSpaces(text, start));
    if (first === "}" || first === "]") lines.add(line);
  }
  return lines;
}

type Begin = { line: number; offset: number };

function indent(
  text: string,
  starts: readonly number[],
  lines: ReadonlySet<number>,
  spaces: number,
): { text: string; begins: Begin[] } {
  const added = " ".repeat(spaces);
  const parts: string[] = [];
  const begins: Begin[] = [];
  let copied = 0;
  for (const line of [...lines].sort((one, other) => one - other)) {
    const start = starts[line] ?? 0;
    parts.push(text.slice(copied, start), added);
    begins.push({ line, offset: start + begins.length * spaces });
    copied = start;
  }
  return { text: [...parts, text.slice(copied)].join(""), begins };
}

/** The lines that begin inside a text without quotes, of which the added spaces could be a part. */
function listInTexts(events: readonly Event[], begins: readonly Begin[]): number[] {
  const found: number[] = [];
  let next = 0;
  for (const event of events) {
    if (event.type !== EVENT_ID.SCALAR || event.valueStart < 0) continue;
    if (isQuoted(event.style)) continue;
    while (next < begins.length && (begins[next]?.offset ?? 0) < event.valueStart) next += 1;
    for (; next < begins.length; next += 1) {
      const { line, offset } = begins[next] ?? { line: 0, offset: 0 };
      if (offset >= event.valueEnd) break;
      found.push(line);
    }
  }
  return found;
}

function isQuoted(style: number): boolean {
  return style === SCALAR_STYLE.SINGLE_QUOTED || style === SCALAR_STYLE.DOUBLE_QUOTED;
}
