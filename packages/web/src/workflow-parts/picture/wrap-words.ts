const charsMax = 200;

/** The widths of characters in parts of the font's size, near enough for the fonts of the pages. */
function toShare(char: string): number {
  if (/[iljtfrI.,:;'!|()[\]\s]/.test(char)) return 0.37;
  if (/[mwMW@%—]/.test(char)) return 0.95;
  if (/[A-Z0-9]/.test(char)) return 0.72;
  // Letters of most other scripts, and signs that stand for a word.
  return char.charCodeAt(0) > 0x1100 ? 1.05 : 0.62;
}

/** The width of a text as it is drawn, estimated. */
export function estimateWidth(text: string, fontPx: number): number {
  return [...text].reduce((sum, char) => sum + toShare(char), 0) * fontPx;
}

type Space = { widthPx: number; fontPx: number; linesMax: number };

/** A text in lines that fit. What does not fit ends with three dots. */
export function wrapWords(text: string, { widthPx, fontPx, linesMax }: Space): string[] {
  const words = text.slice(0, charsMax).trim().split(/\s+/);
  const lines: string[] = [];
  const fits = (line: string) => estimateWidth(line, fontPx) <= widthPx;
  for (const word of words) {
    const last = lines.at(-1);
    if (last !== undefined && fits(`${last} ${word}`)) lines[lines.length - 1] = `${last} ${word}`;
    else if (lines.length < linesMax) lines.push(word);
    else {
      lines[lines.length - 1] = `${last} ${word}`;
      break;
    }
  }
  return lines.map((line) => cutToWidth(line, fits));
}

function cutToWidth(line: string, fits: (line: string) => boolean): string {
  if (fits(line)) return line;
  const chars = [...line];
  while (chars.length > 1 && !fits(`${chars.join("").trimEnd()}…`)) chars.pop();
  return `${chars.join("").trimEnd()}…`;
}
