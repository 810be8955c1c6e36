import { createAnchors, toPlainText } from "./section-anchors.ts";

/** A part of a page from one heading to the next. */
export type Section = {
  /** Below `docs/`. */
  path: string;
  /** The title of the page. */
  page: string;
  /** The title of the section. It is that of the page before its first section. */
  title: string;
  /** Empty before the first section. */
  anchor: string;
  /** Without marks of Markdown, in lines. */
  text: string;
};

/** The sections of a page, in order. Lines in blocks of code are no headings. */
export function splitSections(path: string, markdown: string): Section[] {
  const toAnchor = createAnchors();
  let page = path;
  let section: Section = { path, page, title: path, anchor: "", text: "" };
  const sections: Section[] = [];
  let isCode = false;
  let lines: string[] = [];
  const end = () => sections.push({ ...section, page, text: lines.join("\n").trim() });
  for (const line of markdown.split("\n")) {
    if (line.startsWith("```")) {
      isCode = !isCode;
      lines.push("");
      continue;
    }
    const [, marks = "", heading = ""] = isCode ? [] : (/^(#{1,6}) (.+)$/.exec(line) ?? []);
    if (heading === "") {
      if (isCode) lines.push(line);
      else addPlainLine(lines, line);
      continue;
    }
    const title = toPlainText(heading);
    const anchor = toAnchor(heading);
    if (marks === "#" && sections.length === 0 && page === path) {
      page = title;
      section = { ...section, title };
      continue;
    }
    end();
    section = { path, page, title, anchor, text: "" };
    lines = [];
  }
  end();
  return sections;
}

/** Lines of a paragraph become one. */
function addPlainLine(lines: string[], line: string): void {
  const before = lines.at(-1) ?? "";
  const isNew = before === "" || /^\s*(?:[-*|]|\d+\.) ?/.test(line);
  if (isNew || line.trim() === "") lines.push(toPlainLine(line));
  else lines[lines.length - 1] = `${before} ${toPlainLine(line.trim())}`;
}

function toPlainLine(line: string): string {
  // The line below the titles of a table.
  if (/^\|[-| :]+\|$/.test(line)) return "";
  const text = line.startsWith("|")
    ? line.replace(/^\| ?| ?\|$/g, "").replace(/ \| /g, ": ")
    : line;
  return toPlainText(text);
}
