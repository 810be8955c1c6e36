import { type EscapeKind, marksOf } from "./unescape.ts";

/**
 * What programs write between the characters of a text: it is removed to find the text. All three are
 * removed together, because a text has one kind of them or none.
 */
export const interruptions: EscapeKind = {
  mark: "",
  marks: marksOf("\u001b<]\"'`"),
  find(text, from) {
    beginning.lastIndex = from;
    return beginning.exec(text)?.index ?? -1;
  },
  read(text, start, end, plain) {
    plain.count = 0;
    const pattern = findPattern(text, start);
    pattern.lastIndex = start;
    return pattern.test(text) && pattern.lastIndex <= end ? pattern.lastIndex - start : 0;
  },
};

const controlMark = "\u001b";

/** The beginnings of all that is removed. Many texts have none, and the engine passes these fast. */
const beginning = new RegExp(
  `${controlMark}\\[|<[a-z/!]|\\]\\]>|["'\`]\\s{0,8}\\+\\s{0,8}["'\`]`,
  "gi",
);

/** A colour of a terminal, or another control sequence of ANSI. */
const controlSequence = new RegExp(`${controlMark}\\[[\\d;?]{0,24}[ -/]{0,2}[@-~]`, "y");
/** Between strings of JavaScript that are added. */
const plusSign = /["'`]\s{0,8}\+\s{0,8}["'`]/y;
const dataEnd = /\]\]>/y;
const dataOrComment = /<!(?:\[CDATA\[|--.{0,200}?-->)/sy;
/** A tag, which may have attributes. After an opening `<` that is no tag, CDATA can end before the next `>`. */
const tag = /<\/?[a-z][^<>]{0,200}(?<!\]\])>/iy;

function findPattern(text: string, start: number): RegExp {
  const first = text.charCodeAt(start);
  if (first === 0x3c) return text.charCodeAt(start + 1) === 0x21 ? dataOrComment : tag;
  if (first === 0x1b) return controlSequence;
  return first === 0x5d ? dataEnd : plusSign;
}
