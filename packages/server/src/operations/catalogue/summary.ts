import type { Operation } from "../../connectors/connector-port.ts";
import { cutAtWord } from "../../lib/text/cut-at-word.ts";
import { firstSentence } from "../../lib/text/first-sentence.ts";

/** No summary is longer. */
export const summaryCharsMax = 120;
/** Only this much of a description is read. */
const readCharsMax = 1_000;

/**
 * What an operation does, beside its name: the first sentence of its description. The name at the beginning is left
 * out, and so are the addresses of Markdown links. Empty if nothing is left.
 */
export function toSummary({ name, description }: Pick<Operation, "name" | "description">): string {
  const read = description.slice(0, readCharsMax).toWellFormed().trim();
  // Short blanks, so that none of the patterns below searches long ones again and again.
  const text = read
    .replace(/[^\S\n]+/g, " ")
    .replace(/ ?\n ?/g, "\n")
    .replace(/\n{3,}/g, "\n\n");
  const [mark = ""] = /^deprecated[.:!]?\s/i.exec(text) ?? [];
  const rest = dropName(name, text.slice(mark.length));
  const plain = rest.replace(markdownQuote, "").replace(markdownLink, "$1");
  const sentence = firstSentence(`${mark}${plain}`.trim());
  return cutAtWord(sentence.replace(/\s+/g, " "), summaryCharsMax);
}

/** Such as `> [!NOTE]`. */
const markdownQuote = /^ ?> ?(?:\[!\w{1,20}\])?/gm;
const markdownLink = /\[([^[\]]{1,200})\]\([^()\s]{1,500}\)/g;

/** A description often begins with the name, on a line or as a sentence of its own. */
function dropName(name: string, text: string): string {
  if (text.slice(0, name.length).toLowerCase() !== name.toLowerCase()) return text;
  const rest = text.slice(name.length);
  const [end] = /^(?:[.:!]? ?(?:\n{1,2}|$)|[.:!] | [-–—] )/.exec(rest) ?? [];
  return end === undefined ? text : rest.slice(end.length);
}
