/** A sentence that is shorter says too little alone, such as "Note." */
const charsMin = 12;

/** A sign that may end a sentence: at the end of the text, or before what may begin the next one. */
const sentenceEnd = /[.!?]["”')\]]*(?=\s+[^\s\p{Ll}]|\s*$)/gu;

/** Words whose point does not end a sentence. */
const abbreviation =
  /(?:^|[\s(])(?:e\.g|i\.e|etc|vs|cf|approx|incl|resp|no|max|min|St|Dr|Mr|Mrs|Ms)\.$/i;

/** The first sentence of a line, with the next one if it is very short. The whole line if it has no end. */
export function firstSentence(line: string): string {
  for (const { index, 0: end } of line.matchAll(sentenceEnd)) {
    const sentence = line.slice(0, index + end.length);
    if (sentence.length >= charsMin && !abbreviation.test(sentence.slice(-10))) return sentence;
  }
  return line;
}
