import { expect, test } from "bun:test";
import { checkNotOlder, isNewerVersion } from "./check-version.ts";

const check = (installed: string, offered: string) =>
  checkNotOlder({ key: "tracker", installed, offered });

test.each([
  ["1.0.1", "1.0.0", true],
  ["1.10.0", "1.9.0", true],
  ["1.0.0", "1.0.0-rc.1", true],
  ["1.0.0", "1.0.0", false],
  ["1.0.0", "1.0.1", false],
  ["a word", "1.0.0", false],
  ["a word", "a word", false],
])("Whether version %s is newer than %s: %p", (one, other, isNewer) => {
  expect(isNewerVersion(one, other)).toBe(isNewer);
});

test("The same version and a later one replace the installed version", () => {
  for (const offered of ["1.2.0", "1.2.1", "2.0.0"])
    expect(() => check("1.2.0", offered)).not.toThrow();
});

test.each([
  "1.1.9",
  "1.2.0-rc.1",
])("The older version %s does not replace the installed one (attack)", (offered) => {
  expect(() => check("1.2.0", offered)).toThrow("--allow-downgrade");
});
