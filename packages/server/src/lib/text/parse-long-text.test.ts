import { expect, test } from "bun:test";
import { parseLongText } from "./parse-long-text.ts";

function countTurns() {
  let turns = 0;
  return {
    yieldToEventLoop: async () => {
      turns += 1;
    },
    read: () => turns,
  };
}

test.each([
  ["backslashes", "\\"],
  ["quotes and line feeds", '"\n'],
  ["control characters", "\u0001"],
  ["control characters and backslashes", "\u0001\\x"],
  ["characters in pairs", "😀a"],
  ["backslashes before a u", "\\u0041\\\\u"],
  ["plain text", "abc"],
])("A long text of %s is parsed in portions", async (_name, part) => {
  const turns = countTurns();
  // As JSON it is longer than a portion of 1 MiB, which cuts it once or more.
  const written = JSON.stringify(part).length - 2;
  const text = part.repeat(Math.ceil(1_200_000 / written));
  // Each beginning moves the places of the cuts.
  for (const beginning of ["", "x", "xx", "xxx", "xxxx", "xxxxx"]) {
    const whole = beginning + text;
    expect((await parseLongText(turns, JSON.stringify(whole))) === whole).toBe(true);
  }
  expect(turns.read()).toBeGreaterThanOrEqual(6);
});

test("A short text takes no turn", async () => {
  const turns = countTurns();
  expect(await parseLongText(turns, '""')).toBe("");
  expect(await parseLongText(turns, JSON.stringify('a"\n\\'))).toBe('a"\n\\');
  expect(turns.read()).toBe(0);
});
