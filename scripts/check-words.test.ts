import { expect, test } from "bun:test";
import { findOldWords } from "./check-words.ts";

test("An old word in an identifier or a comment is found with its line and its new word", () => {
  const text = "const a = 1;\nnoteCrash();\n/** Notes that it ended. */\n";
  expect(findOldWords("a.ts", text)).toEqual([
    'a.ts:2: "noteCrash" is an old word. Use: record…',
    'a.ts:3: "* Notes that" is an old word. Use: Records …',
  ]);
});

test("A longer name and the new word are not refused", () => {
  expect(findOldWords("a.ts", "const noteCrashes = recordCrash(noteworthy);\n")).toEqual([]);
});
