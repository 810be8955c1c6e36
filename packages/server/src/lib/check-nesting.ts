const quote = 34;
const backslash = 92;
const openBrace = 123;
const closeBrace = 125;
const openBracket = 91;
const closeBracket = 93;

/**
 * Whether JSON text nests no deeper than `depthMax`. It reads the text, not the value: whatever
 * walks a value later (revivers, checks, masks) recurses, and a stranger must not choose how deep.
 */
export function isNestedWithin(text: string, depthMax: number): boolean {
  let depth = 0;
  for (let at = 0; at < text.length; at += 1) {
    const char = text.charCodeAt(at);
    if (char === quote) {
      at = findStringEnd(text, at);
      if (at === -1) return true;
    } else if (char === openBrace || char === openBracket) {
      depth += 1;
      if (depth > depthMax) return false;
    } else if (char === closeBrace || char === closeBracket) {
      depth -= 1;
    }
  }
  return true;
}

/** The index of the quote that ends the string beginning at `start`; -1 when none does. */
function findStringEnd(text: string, start: number): number {
  for (let end = text.indexOf('"', start + 1); end !== -1; end = text.indexOf('"', end + 1)) {
    let slashes = 0;
    while (text.charCodeAt(end - 1 - slashes) === backslash) slashes += 1;
    if (slashes % 2 === 0) return end;
  }
  return -1;
}
