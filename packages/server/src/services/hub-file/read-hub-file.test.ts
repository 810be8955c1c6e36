import { expect, test } from "bun:test";
import { HubError } from "../../errors.ts";
import { readHubFile } from "./read-hub-file.ts";

function readFault(text: string): string {
  try {
    readHubFile(text);
  } catch (thrown) {
    if (thrown instanceof HubError) return `${thrown.code}: ${thrown.message}`;
    throw thrown;
  }
  return "none";
}

test.each([
  ["an anchor that contains its own alias", "hub_file: 1\nrows: &a\n  - *a\n"],
  ["60,000 brackets", `hub_file: 1\nrows: ${"[".repeat(60_000)}`],
  ["60,000 brackets that end", `hub_file: 1\nrows: ${"[".repeat(60_000)}${"]".repeat(60_000)}`],
  ["60,000 levels of indentation", `hub_file: 1\nrows: ${"- ".repeat(60_000)}x`],
  ["60,000 braces", `${"{a: ".repeat(60_000)}`],
])("A file with %s is refused with what to do", (_, text) => {
  expect(readFault(text)).toMatch(/^bad_request: /);
});

test.each(["../../evil", "Codehost", "", "a/b"])("The plugin key %j is refused", (key) => {
  const text = `hub_file: 1\nplugins:\n  - key: ${JSON.stringify(key)}\n`;
  expect(readFault(text)).toMatch(/Line 3 .*key must have 1 to 64 lower-case letters/);
});
