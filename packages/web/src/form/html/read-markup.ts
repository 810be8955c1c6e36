import { Parser } from "htmlparser2";

/** An element of a widget that may be shown. Text is a string. */
export type MarkupNode = MarkupElement | string;
export type MarkupElement = {
  tag: string;
  attributes: ReadonlyArray<readonly [name: string, value: string]>;
  /** The text of its `style` attribute, which is applied property by property. */
  style: string | null;
  children: MarkupNode[];
};

export type Markup = {
  nodes: MarkupNode[];
  /** The texts of `<style>` elements. */
  sheets: string[];
  /** Whether the markup was too large or too deep to be shown in full. */
  isCut: boolean;
};

/** Without a limit, a browser is busy for seconds with a megabyte of empty elements. */
const nodesMax = 20_000;
/** The parser looks through the open elements for each end tag. */
const openMax = 256;
/** A browser looks through the attributes of an element for each one that is set. */
const attributesMax = 100;

const shownTags = new Set(
  `a abbr address article aside b bdi bdo blockquote br button caption cite code col colgroup data datalist
  dd del details dfn div dl dt em fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr i img
  input ins kbd label legend li main mark meter nav ol optgroup option output p pre progress q s samp
  section select small span strong sub summary sup table tbody td textarea tfoot th thead time tr u ul var
  wbr`.split(/\s+/),
);

/** Elements that are dropped with everything inside them. Of others only the tag is dropped. */
const droppedTags = new Set(
  `applet audio base canvas embed frame frameset head iframe link math meta noembed noframes noscript object
  param picture plaintext portal script slot source svg template title track video xmp`.split(
    /\s+/,
  ),
);
// A document's head may have the widget's styles.
droppedTags.delete("head");

const everywhere = new Set(["class", "dir", "id", "lang", "role", "title"]);
const attributesByTag: Record<string, string> = {
  a: "href",
  button: "disabled value",
  col: "span",
  colgroup: "span",
  data: "value",
  details: "open",
  fieldset: "disabled",
  img: "alt height src width",
  input:
    "checked disabled list max maxlength min multiple name placeholder readonly size step type value",
  label: "for",
  li: "value",
  meter: "high low max min optimum value",
  ol: "reversed start type",
  optgroup: "disabled label",
  option: "disabled label selected value",
  output: "for",
  progress: "max value",
  select: "disabled multiple name size",
  td: "colspan headers rowspan",
  textarea: "cols disabled maxlength name placeholder readonly rows",
  th: "abbr colspan headers rowspan scope",
  time: "datetime",
};
const ownAttributes = new Map(
  Object.entries(attributesByTag).map(([tag, names]) => [tag, new Set(names.split(" "))]),
);

const inputTypes = new Set(
  "checkbox color date datetime-local email hidden month number password radio range search tel text time url week".split(
    " ",
  ),
);

class Enough extends Error {}

/**
 * Reads a widget's markup by a list of what may be shown. The browser never parses the text itself: even
 * a document that is not shown reports each `style` and handler to the content policy.
 */
export function readMarkup(html: string): Markup {
  const markup: Markup = { nodes: [], sheets: [], isCut: false };
  const parents: MarkupNode[][] = [markup.nodes];
  /** For each open tag of the source: whether it became an element. */
  const open: boolean[] = [];
  let dropped = 0;
  let isSheet = false;
  let count = 0;
  const add = (node: MarkupNode) => {
    count += 1;
    if (count > nodesMax) throw new Enough();
    parents.at(-1)?.push(node);
  };
  let attributes = 0;
  const parser = new Parser({
    onattribute() {
      attributes += 1;
      if (attributes > attributesMax) throw new Enough();
    },
    onopentag(tag, given) {
      attributes = 0;
      if (open.length >= openMax) throw new Enough();
      if (dropped > 0 || droppedTags.has(tag)) dropped += 1;
      else if (tag === "style") isSheet = true;
      const isElement = dropped === 0 && shownTags.has(tag);
      open.push(isElement);
      if (!isElement) return;
      const element = toElement(tag, given);
      add(element);
      parents.push(element.children);
    },
    ontext(text) {
      if (dropped > 0) return;
      if (isSheet) markup.sheets.push(text);
      else add(text);
    },
    onclosetag() {
      isSheet = false;
      if (dropped > 0) dropped -= 1;
      if (open.pop() === true) parents.pop();
    },
  });
  try {
    parser.end(html);
  } catch (thrown) {
    if (!(thrown instanceof Enough)) throw thrown;
    markup.isCut = true;
  }
  return markup;
}

function toElement(tag: string, given: Record<string, string>): MarkupElement {
  const attributes = Object.entries(given).flatMap(([name, value]) => {
    const kept = isKept(tag, name) ? toSafeValue(tag, name, value) : null;
    return kept === null ? [] : [[name, kept] as const];
  });
  return { tag, attributes, style: given.style ?? null, children: [] };
}

function isKept(tag: string, name: string): boolean {
  if (everywhere.has(name) || ownAttributes.get(tag)?.has(name) === true) return true;
  return /^(?:data|aria)-[a-z0-9_.-]{1,100}$/.test(name);
}

/** The value as it may be set; null leaves the attribute out. */
function toSafeValue(tag: string, name: string, value: string): string | null {
  if (name === "href") return /^https?:\/\/[^/]/i.test(value.trim()) ? value.trim() : null;
  if (name === "src") return /^data:image\/[a-z+.-]+[;,]/i.test(value) ? value : null;
  if (tag === "input" && name === "type") {
    return inputTypes.has(value.toLowerCase()) ? value.toLowerCase() : "text";
  }
  return value;
}
