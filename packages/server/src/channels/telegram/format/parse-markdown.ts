/** Styles of a text, as Telegram takes them: offsets and lengths count UTF-16 code units. */
export type TextEntity =
  | { type: TextStyle; offset: number; length: number }
  | { type: "pre"; offset: number; length: number; language?: string }
  | { type: "text_link"; offset: number; length: number; url: string };

type TextStyle = "bold" | "italic" | "strikethrough" | "code" | "blockquote";

export type FormattedText = { text: string; entities: TextEntity[] };

type Kind =
  | { type: TextStyle }
  | { type: "pre"; language?: string }
  | { type: "text_link"; url: string };

/** The pieces of the text, and the styles from one piece to another. */
type Draft = { pieces: string[]; marks: { from: number; to: number; kind: Kind }[] };

/**
 * Reads the Markdown that models write: emphasis, code, links, headings, lists and quotes. What is
 * not Markdown stays as it is, so no text is refused. Styles are entities beside the text, so
 * nothing needs an escape. The work is linear in the length.
 */
export function parseMarkdown(source: string): FormattedText {
  const draft: Draft = { pieces: [], marks: [] };
  const lines = source.split(/\r\n|\r|\n/);
  let at = 0;
  while (at < lines.length) {
    if (at > 0) draft.pieces.push("\n");
    const line = lines[at] ?? "";
    if (/^ {0,3}```/.test(line)) at = addFence(draft, lines, at);
    else if (/^ {0,3}>/.test(line)) at = addQuote(draft, lines, at);
    else {
      addLine(draft, line);
      at += 1;
    }
  }
  return toFormatted(draft);
}

function toFormatted({ pieces, marks }: Draft): FormattedText {
  const offsets = [0];
  let offset = 0;
  for (const piece of pieces) {
    offset += piece.length;
    offsets.push(offset);
  }
  const entities = marks.flatMap(({ from, to, kind }) => {
    const start = offsets[from] ?? 0;
    const length = (offsets[to] ?? offset) - start;
    return length > 0 ? [{ ...kind, offset: start, length }] : [];
  });
  return { text: pieces.join(""), entities };
}

/** Adds a block of code, which ends with the text if it is not closed. Returns the next line. */
function addFence(draft: Draft, lines: readonly string[], start: number): number {
  const language = /^ {0,3}```([\w+#-]*)\s*$/.exec(lines[start] ?? "")?.[1];
  if (language === undefined) {
    addLine(draft, lines[start] ?? "");
    return start + 1;
  }
  let end = start + 1;
  while (end < lines.length && !/^ {0,3}```\s*$/.test(lines[end] ?? "")) end += 1;
  const from = draft.pieces.length;
  draft.pieces.push(lines.slice(start + 1, end).join("\n"));
  const kind: Kind = language === "" ? { type: "pre" } : { type: "pre", language };
  draft.marks.push({ from, to: draft.pieces.length, kind });
  return end + 1;
}

function addQuote(draft: Draft, lines: readonly string[], start: number): number {
  const from = draft.pieces.length;
  let end = start;
  while (end < lines.length && /^ {0,3}>/.test(lines[end] ?? "")) {
    if (end > start) draft.pieces.push("\n");
    addLine(draft, (lines[end] ?? "").replace(/^ {0,3}> ?/, ""));
    end += 1;
  }
  draft.marks.push({ from, to: draft.pieces.length, kind: { type: "blockquote" } });
  return end;
}

/** Where `.` stopped before the end, such as at U+2028, the patterns would try all lengths of spaces. */
function addLine(draft: Draft, line: string): void {
  const heading = /^#{1,6}\s+(.*)$/s.exec(line)?.[1];
  if (heading !== undefined) {
    const from = draft.pieces.length;
    addInline(draft, heading);
    draft.marks.push({ from, to: draft.pieces.length, kind: { type: "bold" } });
    return;
  }
  const [, indent, item] = /^(\s*)[-*+]\s+(.*)$/s.exec(line) ?? [];
  if (indent !== undefined) draft.pieces.push(`${indent}• `);
  addInline(draft, item ?? line);
}

const styles: Record<string, TextStyle> = {
  "**": "bold",
  __: "bold",
  "*": "italic",
  _: "italic",
  "~~": "strikethrough",
};

type Opened = { token: string; piece: number };

/** Adds a line with emphasis, code and links. Delimiters without a partner stay in the text. */
function addInline(draft: Draft, line: string): void {
  const { pieces, marks } = draft;
  const opened: Opened[] = [];
  // How often each delimiter is open, so that one without a partner is not looked for.
  const counts = new Map<string, number>();
  const codeEnds = findBackticks(line);
  let nextParenthesis = -1;
  let plainFrom = 0;
  const flush = (to: number) => {
    if (to > plainFrom) pieces.push(line.slice(plainFrom, to));
  };
  /** Ends the innermost delimiter of this kind, and gives up those inside of it. */
  const close = (token: string, kind: Kind): boolean => {
    if ((counts.get(token) ?? 0) === 0) return false;
    for (let open = opened.pop(); open !== undefined; open = opened.pop()) {
      counts.set(open.token, (counts.get(open.token) ?? 1) - 1);
      if (open.token !== token) continue;
      pieces[open.piece] = "";
      marks.push({ from: open.piece, to: pieces.length, kind });
      return true;
    }
    return false;
  };
  const open = (token: string) => {
    opened.push({ token, piece: pieces.length });
    counts.set(token, (counts.get(token) ?? 0) + 1);
    pieces.push(token);
  };

  let at = 0;
  while (at < line.length) {
    const char = line[at] ?? "";
    if (char === "\\" && /^[\\`*_~[\]()#+\-.!>|]$/.test(line[at + 1] ?? "")) {
      flush(at);
      plainFrom = at + 1;
      at += 2;
    } else if (char === "`") {
      const run = countRun(line, at);
      const end = codeEnds.take(run, at + run);
      if (end === null) {
        at += run;
        continue;
      }
      flush(at);
      marks.push({ from: pieces.length, to: pieces.length + 1, kind: { type: "code" } });
      pieces.push(line.slice(at + run, end));
      at = end + run;
      plainFrom = at;
    } else if (char === "[") {
      flush(at);
      open("[");
      at += 1;
      plainFrom = at;
    } else if (char === "]" && line[at + 1] === "(") {
      if (nextParenthesis !== Number.POSITIVE_INFINITY && nextParenthesis < at) {
        const found = line.indexOf(")", at);
        nextParenthesis = found === -1 ? Number.POSITIVE_INFINITY : found;
      }
      const url = toUrl(line, at + 2, nextParenthesis);
      flush(at);
      plainFrom = at;
      if (url === null || !close("[", { type: "text_link", url })) {
        at += 1;
        continue;
      }
      at = nextParenthesis + 1;
      plainFrom = at;
    } else if (char === "*" || char === "_" || char === "~") {
      const token = toToken(line, at, opened.at(-1));
      const style = styles[token];
      const canClose = at > 0 && !isSpace(line[at - 1]) && isBorder(token, line[at + token.length]);
      flush(at);
      plainFrom = at;
      if (style !== undefined && canClose && close(token, { type: style })) {
        plainFrom = at + token.length;
      } else if (style !== undefined && canOpen(line, at, token)) {
        open(token);
        plainFrom = at + token.length;
      }
      at += token.length;
    } else at += 1;
  }
  flush(line.length);
}

function toToken(line: string, at: number, innermost: Opened | undefined): string {
  const char = line[at] ?? "";
  if (line[at + 1] !== char) return char;
  // In `***both***`, the inner style ends first.
  const isTriple = line[at + 2] === char && innermost?.token === char;
  return isTriple ? char : char + char;
}

function canOpen(line: string, at: number, token: string): boolean {
  const next = line[at + token.length];
  return next !== undefined && !isSpace(next) && isBorder(token, line[at - 1]);
}

/** In `snake_case_names`, the underscores are letters. */
function isBorder(token: string, neighbour: string | undefined): boolean {
  return !token.startsWith("_") || neighbour === undefined || !/[\p{L}\p{N}]/u.test(neighbour);
}

const isSpace = (char: string | undefined) => char === undefined || /\s/.test(char);

function countRun(line: string, at: number): number {
  let end = at;
  while (line[end] === "`") end += 1;
  return end - at;
}

/** Where runs of backticks of each length are. Each position is looked at once. */
function findBackticks(line: string) {
  const byLength = new Map<number, number[]>();
  for (const { index, 0: run } of line.matchAll(/`+/g)) {
    const starts = byLength.get(run.length);
    if (starts === undefined) byLength.set(run.length, [index]);
    else starts.push(index);
  }
  const taken = new Map<number, number>();
  return {
    take(length: number, from: number): number | null {
      const starts = byLength.get(length) ?? [];
      let next = taken.get(length) ?? 0;
      while (next < starts.length && (starts[next] ?? 0) < from) next += 1;
      taken.set(length, next);
      return starts[next] ?? null;
    },
  };
}

const urlCharsMax = 2_048;

function toUrl(line: string, start: number, end: number): string | null {
  if (end - start > urlCharsMax || end <= start) return null;
  const url = line.slice(start, end);
  return /^(https?|tg|mailto):/i.test(url) && URL.canParse(url) ? url : null;
}
