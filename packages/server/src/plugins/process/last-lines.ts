import { splitText } from "@hub/connector";
import { cutLine } from "../../lib/text/cut-line.ts";
import { stripInvisible } from "../../lib/text/strip-invisible.ts";

/** What is kept until it is asked for: masking needs whole lines, and all lines of a secret such as a key. */
const keptLinesMax = 500;
const keptCharsMax = 32 * 1024;

const shownLinesMax = 10;
const shownLineCharsMax = 300;
const shownCharsMax = 2000;

/** The last lines that a program wrote, for the error of its start or call. */
export type LastLines = {
  add(line: string): void;
  /** At most ten lines and 2,000 characters, masked by `seal`, without control characters. Empty without output. */
  read(seal: (text: string) => string): string;
};

export function createLastLines(): LastLines {
  let kept: string[] = [];
  let chars = 0;
  return {
    add(line) {
      kept.push(line);
      chars += line.length;
      while (kept.length > keptLinesMax || (chars > keptCharsMax && kept.length > 1)) {
        chars -= kept.shift()?.length ?? 0;
      }
    },
    read(seal) {
      if (kept.length === 0) return "";
      // Masked as one text, because a secret can have several lines, and before it is cut. What is invisible is
      // removed before: it could stand inside a secret.
      const sealed = seal(stripInvisible(kept.join("\n"), { keepsLines: true }));
      kept = [];
      chars = 0;
      const lines = splitText(sealed, "\n").map((line) => cutLine(line, shownLineCharsMax));
      return takeLast(lines.filter((line) => line !== ""));
    },
  };
}

function takeLast(lines: readonly string[]): string {
  const taken: string[] = [];
  let chars = 0;
  for (const line of lines.toReversed().slice(0, shownLinesMax)) {
    chars += line.length + 1;
    if (chars > shownCharsMax) break;
    taken.unshift(line);
  }
  return taken.join("\n");
}
