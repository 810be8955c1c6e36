import MarkdownIt, { type Token } from "markdown-it";
import { resolveLink } from "../../docs/resolve-link.ts";
import { createAnchors } from "../../docs/section-anchors.ts";
import { toHelpPath } from "./help-path.ts";

/** A page of the documentation as HTML. */
export type RenderedPage = {
  title: string;
  /** Without the title. */
  html: string;
  /** The sections of the second and third level, in order. */
  contents: ReadonlyArray<{ title: string; anchor: string; level: 2 | 3 }>;
};

/** Ids of the frame around the page. */
const takenIds: ReadonlySet<string> = new Set(["main", "menu"]);

/**
 * Renders a page. HTML in the Markdown is shown as text, and links lead to pages of this hub or to addresses
 * that Markdown allows. `path` is below `docs/`.
 */
export function renderMarkdown(path: string, markdown: string): RenderedPage {
  const parser = new MarkdownIt({ html: false, linkify: false });
  const tokens = parser.parse(markdown, {});
  const toAnchor = createAnchors();
  const contents: Array<RenderedPage["contents"][number]> = [];
  let title = path;
  for (const [at, token] of tokens.entries()) {
    if (token.type === "inline") rewriteLinks(token.children ?? [], path);
    if (token.type !== "heading_open") continue;
    const source = tokens[at + 1];
    const anchor = toSafeId(toAnchor(source?.content ?? ""));
    const text = toText(source);
    token.attrSet("id", anchor);
    if (token.tag === "h1" && contents.length === 0) title = text;
    if (token.tag === "h2") contents.push({ title: text, anchor, level: 2 });
    if (token.tag === "h3") contents.push({ title: text, anchor, level: 3 });
  }
  // A wide table scrolls by itself, so that the page does not.
  parser.renderer.rules.table_open = () => '<div class="scroll" tabindex="0"><table>\n';
  parser.renderer.rules.table_close = () => "</table></div>\n";
  // So do wide lines of code. The keyboard scrolls only what it reaches.
  for (const rule of ["fence", "code_block"] as const) {
    const render = parser.renderer.rules[rule];
    parser.renderer.rules[rule] = (...given) =>
      `<pre tabindex="0"${(render?.(...given) ?? "").slice("<pre".length)}`;
  }
  parser.renderer.rules.image = (all, at) =>
    `(picture: ${parser.utils.escapeHtml(toText(all[at]))})`;
  return {
    title,
    html: parser.renderer.render(withoutTitle(tokens), parser.options, {}),
    contents,
  };
}

function withoutTitle(tokens: readonly Token[]): Token[] {
  const isTitled = tokens[0]?.type === "heading_open" && tokens[0].tag === "h1";
  return tokens.slice(isTitled ? 3 : 0);
}

function toSafeId(anchor: string): string {
  return takenIds.has(anchor) ? `${anchor}-section` : anchor;
}

function toText(token: Token | undefined): string {
  return (token?.children ?? []).map(({ content }) => content).join("");
}

/** Links to other files of the repository become texts that name the file. */
function rewriteLinks(tokens: Token[], path: string): void {
  let file: string | null = null;
  for (const token of tokens) {
    if (token.type === "link_open") {
      const link = resolveLink(String(token.attrGet("href") ?? ""), path);
      file = link.kind === "file" ? link.path : null;
      if (link.kind === "page") {
        const anchor = link.anchor === "" ? "" : `#${toSafeId(link.anchor)}`;
        token.attrSet("href", `${toHelpPath(link.topic)}${anchor}`);
      }
      if (link.kind === "outside") token.attrSet("rel", "noreferrer");
      if (link.kind === "file") hideMark(token);
    } else if (token.type === "link_close" && file !== null) {
      hideMark(token);
      token.content = ` (${file} of the repository)`;
      file = null;
    }
  }
}

function hideMark(token: Token): void {
  token.type = "text";
  token.content = "";
}
