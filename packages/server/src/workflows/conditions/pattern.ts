import { conditionPatternCharsMax } from "@hub/contract/workflow-condition.ts";
import { RE2JSException } from "re2js";
import { compileLinearPattern, type LinearPattern } from "../../lib/text/linear-pattern.ts";

/** What a pattern may cost: the size of its program times the characters of the text. */
const stepsMax = 2_000_000;

/** A pattern is invalid, or too costly for its text. The message is a sentence for users. */
export class PatternError extends Error {
  override name = "PatternError";
}

/** A compiled pattern. */
export type Pattern = {
  /**
   * Whether the pattern is found anywhere in the text. Throws `PatternError` if the text is too
   * long for a pattern of this size.
   */
  isFoundIn(text: string): boolean;
};

/**
 * Compiles a pattern in the syntax of RE2. Its search takes time that is linear in the text, unlike
 * that of JavaScript's own patterns. Throws `PatternError`.
 */
export function compilePattern(source: string): Pattern {
  if (source.length > conditionPatternCharsMax) {
    throw new PatternError(
      `The pattern is too long. It may have ${conditionPatternCharsMax} characters.`,
    );
  }
  const compiled = compileRe2(source);
  const { size } = compiled;
  return {
    isFoundIn: (text) => {
      if (size * text.length <= stepsMax) return compiled.isFoundIn(text);
      const charsMax = Math.floor(stepsMax / size);
      throw new PatternError(
        `The text has ${text.length} characters, and this pattern can search ${charsMax}. Shorten the text or simplify the pattern.`,
      );
    },
  };
}

function compileRe2(source: string): LinearPattern {
  try {
    return compileLinearPattern(source);
  } catch (thrown) {
    if (!(thrown instanceof RE2JSException)) throw thrown;
    const reason = thrown.message.replace(/^error parsing regexp: /, "");
    throw new PatternError(
      `The pattern is not valid: ${reason}. It is in the syntax of RE2, which has no look-around and no back-references.`,
      { cause: thrown },
    );
  }
}
