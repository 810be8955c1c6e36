import MarkdownIt, { type Token } from "markdown-it";
import cjkFriendly from "markdown-it-cjk-friendly";

type Parser = InstanceType<typeof MarkdownIt>;

/** Deeper quotes and lists are not read as such: the parser would leave their texts out. */
const nestingMax = 40;
/** Of texts with more, these are not read as Markdown, so that no text holds up the hub. */
const linesMax = 4_000;
const bracketsMax = 2_500;
const emphasesMax = 10_000;

/**
 * Reads Markdown (CommonMark, with strikethrough and addresses that stand by themselves). Emphasis beside Chinese,
 * Japanese and Korean characters is read as its writers mean it. Only addresses that pass `isLink` become links. Null
 * for a text that is to stay as it is: with thousands of lines, or with quotes and lists that are nested too deeply.
 */
export function parseMarkdownTokens(
  source: string,
  isLink: (url: string) => boolean,
): Token[] | null {
  const counts = countMarks(source);
  if (counts.lines > linesMax) return null;
  const parser = new MarkdownIt("default", { linkify: true, maxNesting: nestingMax });
  parser.use(cjkFriendly);
  // A line of `---` below a text is a line in chats, and a table stays as it is written.
  parser.disable(["table", "lheading", "text_join"]);
  // The rule of inline texts finds the addresses.
  parser.core.ruler.disable("linkify");
  if (counts.brackets > bracketsMax) parser.disable(["link", "image"]);
  if (counts.emphases > emphasesMax) parser.inline.ruler.disable(["emphasis", "strikethrough"]);
  endBlocksWithTheirMarks(parser);
  limitAddresses(parser);
  parser.validateLink = isLink;
  parser.normalizeLink = (url) => url;
  parser.normalizeLinkText = (url) => url;
  const tokens = parser.parse(source, {});
  return tokens.some(({ level }) => level >= nestingMax - 1) ? null : tokens;
}

function countMarks(source: string) {
  const counts = { lines: 1, brackets: 0, emphases: 0 };
  for (const char of source) {
    if (char === "\n" || char === "\r") counts.lines += 1;
    else if (char === "[") counts.brackets += 1;
    else if (char === "*" || char === "_" || char === "~") counts.emphases += 1;
  }
  return counts;
}

/**
 * A line without `>` is after the quote, and a line that is not indented after the item of a list. CommonMark adds both
 * to the paragraph before, which the writers of chat messages do not mean.
 */
function endBlocksWithTheirMarks(parser: Parser): void {
  const { ruler } = parser.block;
  ruler.before("paragraph", "quote_end", (_state, _line, _endLine, isLook) => isLook, {
    alt: ["blockquote"],
  });
  ruler.before(
    "paragraph",
    "item_end",
    ({ sCount, blkIndent }, line, _endLine, isLook) => isLook && (sCount[line] ?? 0) < blkIndent,
    { alt: ["paragraph"] },
  );
}

/** A longer address is text. */
const addressCharsMax = 2_048;
/** In all addresses of a text that turn out to be none. */
const lookedAtMax = 200_000;

/** Addresses with `http://` and the like. Marks of emphasis and punctuation at the end are not theirs. */
function limitAddresses(parser: Parser): void {
  const { linkify } = parser;
  linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });
  const matchAtStart = linkify.matchAtStart.bind(linkify);
  let lookedAt = 0;
  linkify.matchAtStart = (text) => {
    if (lookedAt > lookedAtMax) return null;
    const beginning = text.slice(0, addressCharsMax + 1);
    const found = matchAtStart(beginning);
    const url = found?.url.replace(/[*_~.,:;!?'"]+$/, "") ?? "";
    if (found === null || url.length > addressCharsMax || !parser.validateLink(url)) {
      lookedAt += found?.url.length ?? beginning.length;
      return null;
    }
    return Object.assign(found, { url });
  };
}
