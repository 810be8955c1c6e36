import { RE2Set } from "re2js";

/** A compiled pattern in the syntax of RE2. */
export type LinearPattern = {
  /** The number of instructions of its program. A search takes at most this many steps for each character. */
  size: number;
  /** Whether the pattern is found anywhere in the text. */
  isFoundIn(text: string): boolean;
};

/**
 * The memory for states that a search has met. With more of it, a pattern such as `a.{15}b` makes
 * thousands of them that it never meets again, and each costs as much as fifty characters. With
 * less, the search goes on without states.
 */
const stateBytesMax = 256 * 1024;

/**
 * Compiles a pattern whose search takes time that is linear in the text, unlike that of JavaScript's
 * own patterns. Throws `RE2JSException`.
 */
export function compileLinearPattern(source: string): LinearPattern {
  // A set of one, because only sets have a limit of memory.
  const set = new RE2Set(RE2Set.UNANCHORED, 0, stateBytesMax);
  set.add(source);
  set.compile();
  return {
    size: set.prog.numInst(),
    isFoundIn: (text) => set.match(text).length > 0,
  };
}
