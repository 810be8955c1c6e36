/** A run of letters of one word, of digits as tokenizers take them, or one other character. */
const parts = /[A-Za-z]+|\d{1,3}|./gsu;

/** The tokens of one character, by its bytes in UTF-8: rare scripts and emoji have several. */
const tokensOfBytes = [0, 1, 1, 2, 4];

/** The quotation marks and the comma. */
const separatorTokens = 2;

/**
 * A bound for the tokens of a label in a JSON list. Words of a language have less than half of it; texts of random
 * letters, or of the rarest scripts, have up to one and a half times as many.
 */
export function estimateTokens(label: string): number {
  let tokens = separatorTokens;
  for (const [part] of label.matchAll(parts)) {
    const isWord = /^[A-Za-z]/.test(part);
    if (isWord) tokens += Math.ceil(part.length / 2);
    else tokens += /^\d/.test(part) ? 1 : (tokensOfBytes[Buffer.byteLength(part)] ?? 4);
  }
  return tokens;
}
