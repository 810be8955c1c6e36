import { expect, spyOn, test } from "bun:test";
import fc from "fast-check";
import { RE2JS, RE2Set } from "re2js";
import { amount } from "../testing/amount.ts";
import { compileLinearPattern } from "./linear-pattern.ts";

const atom = fc.constantFrom(
  ..."a b é . ^ $ [ab] [^a] \\b \\B \\w \\s \\pL (?i:k) (?m:^) (?m:$) (?s:.) () a|b |".split(" "),
);

/** Patterns with groups, alternatives and repetitions in each other. */
const patterns = fc.letrec<{ part: string; whole: string }>((tie) => ({
  part: fc.oneof(
    { maxDepth: 3 },
    atom,
    fc
      .tuple(tie("whole"), fc.constantFrom("*", "+", "?", "*?", "{2}", "{0,3}"))
      .map(([whole, repeat]) => `(${whole})${repeat}`),
    fc.tuple(tie("whole"), tie("whole")).map(([one, other]) => `(?:${one}|${other})`),
  ),
  whole: fc.array(tie("part"), { minLength: 1, maxLength: 4 }).map((parts) => parts.join("")),
})).whole;

const texts = fc.string({ unit: fc.constantFrom(..."abékK \n", "😀", "\ud83d"), maxLength: 30 });

test("A pattern is found where the engine without a limit of memory finds it", () => {
  fc.assert(
    fc.property(patterns, texts, (source, text) => {
      expect(compileLinearPattern(source).isFoundIn(text)).toBe(RE2JS.compile(source).test(text));
    }),
    { numRuns: amount(100, 1000) },
  );
});

/** Letters whose order does not repeat. */
let manyStates = "";
for (let at = 0, seed = 1; at < 8_000; at += 1) {
  seed = (seed * 48_271) % 2_147_483_647;
  manyStates += seed % 2 === 0 ? "a" : "b";
}

test("A pattern is also found behind more states than are remembered", () => {
  const { isFoundIn } = compileLinearPattern("a.{15}z$");
  expect(isFoundIn(`${manyStates}a${"b".repeat(15)}z`)).toBe(true);
  expect(isFoundIn(`${manyStates}b${"b".repeat(15)}z`)).toBe(false);
});

test("A search keeps few states of a pattern that has thousands of them", () => {
  const match = spyOn(RE2Set.prototype, "match");
  try {
    expect(compileLinearPattern("a.{15}z$").isFoundIn(manyStates)).toBe(false);
    // A state has at least 150 bytes.
    const [set] = match.mock.contexts;
    expect(set instanceof RE2Set && set.dfa.stateCount).toBeLessThan((256 * 1024) / 150);
  } finally {
    match.mockRestore();
  }
});
