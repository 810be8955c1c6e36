/** HTML's names for ASCII punctuation. Some libraries escape all punctuation by name. */
const ascii: Readonly<Record<string, string>> = {
  amp: "&",
  AMP: "&",
  apos: "'",
  ast: "*",
  bsol: "\\",
  colon: ":",
  comma: ",",
  commat: "@",
  dollar: "$",
  equals: "=",
  excl: "!",
  grave: "`",
  gt: ">",
  GT: ">",
  Hat: "^",
  lbrace: "{",
  lbrack: "[",
  lcub: "{",
  lowbar: "_",
  lpar: "(",
  lsqb: "[",
  lt: "<",
  LT: "<",
  midast: "*",
  NewLine: "\n",
  num: "#",
  percnt: "%",
  period: ".",
  plus: "+",
  quest: "?",
  quot: '"',
  QUOT: '"',
  rbrace: "}",
  rbrack: "]",
  rcub: "}",
  rpar: ")",
  rsqb: "]",
  semi: ";",
  sol: "/",
  Tab: "\t",
  verbar: "|",
  vert: "|",
  VerticalLine: "|",
};

/** The names of U+00A0 to U+00FF, in order. */
const latin1 =
  "nbsp iexcl cent pound curren yen brvbar sect uml copy ordf laquo not shy reg macr deg plusmn sup2 sup3 acute micro para middot cedil sup1 ordm raquo frac14 frac12 frac34 iquest Agrave Aacute Acirc Atilde Auml Aring AElig Ccedil Egrave Eacute Ecirc Euml Igrave Iacute Icirc Iuml ETH Ntilde Ograve Oacute Ocirc Otilde Ouml times Oslash Ugrave Uacute Ucirc Uuml Yacute THORN szlig agrave aacute acirc atilde auml aring aelig ccedil egrave eacute ecirc euml igrave iacute icirc iuml eth ntilde ograve oacute ocirc otilde ouml divide oslash ugrave uacute ucirc uuml yacute thorn yuml";

/** Other names of HTML 4 for characters that occur in passwords and prose. */
const others: Readonly<Record<string, string>> = {
  bull: "•",
  dagger: "†",
  euro: "€",
  hellip: "…",
  ldquo: "“",
  lsquo: "‘",
  mdash: "—",
  ndash: "–",
  OElig: "Œ",
  oelig: "œ",
  permil: "‰",
  rdquo: "”",
  rsquo: "’",
  Scaron: "Š",
  scaron: "š",
  trade: "™",
  Yuml: "Ÿ",
};

/** Named character references without `&` and `;`, and their character codes. */
export const entityCodes: ReadonlyMap<string, number> = new Map([
  ...Object.entries({ ...ascii, ...others }).map(([name, character]): [string, number] => [
    name,
    character.charCodeAt(0),
  ]),
  ...latin1.split(" ").map((name, index): [string, number] => [name, 0xa0 + index]),
]);
