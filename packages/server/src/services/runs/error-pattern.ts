/** What a message has in common with those of the same failure. */
export type ErrorPattern = {
  /** The message with `…` in place of numbers, ids and quoted texts. */
  pattern: string;
  /** The longest part that is the same in all of them; null if none is long enough to be searched for. */
  shared: string | null;
};

const sharedCharsMin = 4;
/** A search takes no longer text. */
const sharedCharsMax = 100;

/**
 * Quoted texts, words and all between. Each part ends at the next character that could begin it, so that no text is
 * read more than twice.
 */
const parts =
  /"[^"\n]*"|`[^`\n]*`|“[^“”\n]*”|(?<![\p{L}\p{N}])'[^'\n]*'(?![\p{L}\p{N}])|[\p{L}\p{N}_-]+|[^\p{L}\p{N}_"`“'-]+|["`“']/gu;
const quoted = /^["`“'].+["`”']$/su;
const idCharsMin = 12;
const hexId = /^[0-9a-f-]{8,}$/i;

/** Reads the pattern of an error message. Linear in its length; cut long messages before. */
export function readErrorPattern(message: string): ErrorPattern {
  const shown: string[] = [];
  let literal = "";
  let shared = "";
  const endLiteral = () => {
    if (literal.trim().length > shared.length) shared = literal.trim();
    literal = "";
  };
  for (const [part] of message.matchAll(parts)) {
    for (const piece of quoted.test(part) ? [null] : toPieces(part)) {
      shown.push(piece ?? "…");
      if (piece === null) endLiteral();
      else literal += piece;
    }
  }
  endLiteral();
  const pattern = shown.join("").replace(/…(?:[.,:]?…)+/g, "…");
  const cut = shared.slice(0, sharedCharsMax).toWellFormed();
  return { pattern, shared: cut.length < sharedCharsMin ? null : cut };
}

/** The pieces of a word; null for each that differs from call to call. */
function toPieces(word: string): Array<string | null> {
  if (!/\d/.test(word)) return [word];
  if (word.length >= idCharsMin || hexId.test(word)) return [null];
  return word.split(/(\d+)/).flatMap((piece) => {
    if (piece === "") return [];
    return [/^\d/.test(piece) ? null : piece];
  });
}
