import { expect, test } from "bun:test";
import { findOldWords, findUnneeded } from "./check-words.ts";
import { oldWords } from "./old-words.ts";

/** A file of a folder in which all words are checked. */
const file = "packages/server/src/channels/a.ts";

test.each(
  oldWords.map((word) => [word.example, word] as const),
)("%s is refused", (example, word) => {
  const faults = word.isOfPath
    ? findOldWords(example, "")
    : findOldWords(file, `const a = 1;\n${example}\n`);
  const line = word.isOfPath ? `${example}:1` : `${file}:2`;
  expect(faults).not.toEqual([]);
  for (const fault of faults) {
    expect(fault).toStartWith(`${line}: "`);
    expect(fault).toEndWith(`" is an old word. Use: ${word.instead}`);
  }
});

test("Each of several old words is found, in the order of the lines", () => {
  expect(findOldWords("a.ts", "noteCrash();\nawait settleNode();\nconst strays = 1;\n")).toEqual([
    'a.ts:1: "noteCrash" is an old word. Use: record',
    'a.ts:2: "settleNode" is an old word. Use: complete',
    'a.ts:3: "strays" is an old word. Use: orphaned',
  ]);
});

test.each([
  "const recorded = recordCrash(noteworthy);",
  "await Promise.allSettled(promises); // A turn of the event loop.",
  "ctx.leaveOut(name, reason); moveIntoPlace(draft);",
  "Troubleshooting: press Connect. Given params are sent.",
])("%s is not refused", (text) => {
  expect(findOldWords("a.ts", text)).toEqual([]);
});

test("An exception is of its own word and file", () => {
  const migrations = "packages/server/src/store/migration-sources.ts";
  expect(findOldWords(migrations, "rehearsals")).toEqual([]);
  expect(findOldWords(migrations, "strays")).toHaveLength(1);
  expect(findOldWords("a.ts", "rehearsals")).toHaveLength(1);
});

test("An exception that no file needs is reported", () => {
  const migrations = "packages/server/src/store/migration-sources.ts";
  const isOfMigrations = (fault: string) => fault.includes("migration-sources");
  const unneeded = findUnneeded(new Map([[migrations, "strays"]]));
  expect(unneeded.filter(isOfMigrations)).toHaveLength(1);
  const needed = findUnneeded(new Map([[migrations, "rehearsals"]]));
  expect(needed.filter(isOfMigrations)).toEqual([]);
});
