import type { JsonMapper } from "../../secrets/masks/map-json.ts";
import { mapJson } from "../../secrets/masks/map-json.ts";
import { partCharsMin } from "../../secrets/needles/needle-forms.ts";
import type { SentBefore } from "./sent-before.ts";

/** What a call sends. Another operation may make other guesses of the same params. */
export type SentParams = { operation: string; params: unknown };

/** How many guesses a call makes, and how to note its texts as sent. */
export type CountedGuesses = { count: number; recordSent(): void };

/**
 * Counts the guesses that the texts of a call make, if the outside system returns them. The mask finds a secret at
 * each place of a text, so a text without separators makes a guess with each of its characters. A call that
 * was sent before makes none. In any other call each word makes at least one, since words that are known make
 * new guesses together, and a word that was not sent before makes one with each place where a secret can begin.
 *
 * Letters and digits form words, and so do the signs between two of them. The count does not depend on the
 * secret. It ends when it is above `max`.
 */
export function countGuesses(
  sent: SentBefore,
  { operation, params }: SentParams,
  max: number,
): CountedGuesses {
  const texts = listTexts(params);
  const call = sent.toMark([operation, ...texts]);
  if (sent.has(call)) return { count: 0, recordSent() {} };
  const marks = [call];
  let count = 0;
  const countWord = (word: string) => {
    const places = word.length - partCharsMin + 1;
    if (places <= 1) {
      count += 1;
      return;
    }
    const mark = sent.toMark([word]);
    marks.push(mark);
    count += sent.has(mark) ? 1 : places;
  };
  for (const text of texts) {
    // A short text is a guess as a whole, also without a word.
    const before = count;
    for (const [piece] of text.matchAll(pieces)) {
      if (isWord(piece)) countWord(piece);
      else count += Math.max(0, piece.length - partCharsMin + 1);
      if (count > max) return { count, recordSent() {} };
    }
    if (text !== "" && count === before) count += 1;
  }
  return {
    count,
    recordSent() {
      for (const mark of marks) sent.record(mark);
    },
  };
}

/** Words, and the signs between them. White space is neither. */
const pieces = /[A-Za-z0-9\u0080-\uffff]+|[^\sA-Za-z0-9\u0080-\uffff]+/g;

function isWord(piece: string): boolean {
  return /^[A-Za-z0-9\u0080-\uffff]/.test(piece);
}

/** All texts of a value: strings, names of members, and the digits of numbers. */
function listTexts(value: unknown): string[] {
  const texts: string[] = [];
  const addText = (text: string) => {
    texts.push(text);
    return text;
  };
  const mapper: JsonMapper = {
    mapText: addText,
    mapKey: addText,
    mapNumber(number, digits) {
      addText(digits);
      return number;
    },
  };
  mapJson(value, mapper);
  return texts;
}
