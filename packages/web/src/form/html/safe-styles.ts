/** Properties that change how a widget looks, and cannot load anything or leave the widget's box. */
const properties = new Set(
  `align-content align-items align-self background-color border-bottom-color border-bottom-left-radius
  border-bottom-right-radius border-bottom-style border-bottom-width border-collapse border-left-color
  border-left-style border-left-width border-right-color border-right-style border-right-width border-spacing
  border-top-color border-top-left-radius border-top-right-radius border-top-style border-top-width box-shadow
  box-sizing caption-side clear color column-count column-gap display empty-cells flex-basis flex-direction
  flex-grow flex-shrink flex-wrap float font-family font-size font-style font-variant-numeric font-weight gap
  grid-auto-columns grid-auto-flow grid-auto-rows grid-column-end grid-column-start grid-row-end grid-row-start
  grid-template-columns grid-template-rows height justify-content justify-items justify-self letter-spacing
  line-height list-style-position list-style-type margin-bottom margin-left margin-right margin-top max-height
  max-width min-height min-width opacity order outline-color outline-offset outline-style outline-width
  overflow-wrap overflow-x overflow-y padding-bottom padding-left padding-right padding-top row-gap table-layout
  text-align text-decoration-color text-decoration-line text-decoration-style text-indent text-overflow
  text-transform vertical-align visibility white-space-collapse text-wrap-mode width word-break word-spacing`.split(
    /\s+/,
  ),
);

/** The declarations of a rule that may be applied, as the browser reads them. */
type Declarations = Pick<
  CSSStyleDeclaration,
  "length" | "getPropertyValue" | "getPropertyPriority"
> & {
  readonly [index: number]: string;
};

export type Declaration = { name: string; value: string; isImportant: boolean };

/**
 * Filters by name, and drops values with any function that can name an address.
 * @internal
 */
export function filterDeclarations(style: Declarations): Declaration[] {
  return Array.from({ length: style.length }, (_, at) => style[at] ?? "").flatMap((name) => {
    const value = style.getPropertyValue(name);
    // A shorthand sets the rest of its properties to their initial values.
    if (!properties.has(name) || value === "" || value === "initial") return [];
    if (/url|image|src|element|\\|@/i.test(value)) return [];
    return [{ name, value, isImportant: style.getPropertyPriority(name) === "important" }];
  });
}

/** The declarations of a `style` attribute. */
export function readInlineStyle(text: string): Declaration[] {
  // The browser's own parser, in a sheet that applies to nothing and loads nothing.
  const sheet = new CSSStyleSheet();
  sheet.replaceSync(`x{${text}}`);
  const [rule] = sheet.cssRules;
  return rule instanceof CSSStyleRule ? filterDeclarations(rule.style) : [];
}

/** A sheet for the widget's shadow root with only what may be applied. */
export function toSafeSheet(texts: readonly string[]): CSSStyleSheet {
  const given = new CSSStyleSheet();
  given.replaceSync(texts.join("\n"));
  const sheet = new CSSStyleSheet();
  sheet.replaceSync([...given.cssRules].map(writeRule).join("\n"));
  return sheet;
}

function writeRule(rule: CSSRule): string {
  if (rule instanceof CSSMediaRule) {
    return `@media ${rule.conditionText} {${[...rule.cssRules].map(writeRule).join("\n")}}`;
  }
  if (!(rule instanceof CSSStyleRule)) return "";
  // The host is an element of the page.
  if (/:host|::slotted|::part/i.test(rule.selectorText)) return "";
  const declarations = filterDeclarations(rule.style).map(
    ({ name, value, isImportant }) => `${name}:${value}${isImportant ? "!important" : ""}`,
  );
  return declarations.length === 0 ? "" : `${rule.selectorText}{${declarations.join(";")}}`;
}
