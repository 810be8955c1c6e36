/** A sentence that is shorter says too little alone, such as "Note." */
const charsMin = 12;

/** What may end a sentence: a sign at the end of a line, or before what may begin the next one; an empty line. */
const sentenceEnd = /[.!?]["”')\]]*(?=\n|\s[^\s\p{Ll}]|$)|\n\n/gu;

/** Words whose point does not end a sentence. */
const abbreviation =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|max|min|St|Dr|Mr|Mrs|Ms)\.$/i;

/**
 * The first sentence of a text, with the next one if it is very short. The whole text if it has no end. Blanks
 * have one character each, and paragraphs an empty line between them.
 */
export function firstSentence(text: string): string {
  for (const { index, 0: end } of text.matchAll(sentenceEnd)) {
    const sentence = text.slice(0, index + end.length).trim();
    if (sentence.length >= charsMin && !abbreviation.test(sentence.slice(-10))) return sentence;
  }
  return text;
}
