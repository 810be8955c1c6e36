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

test.each([
  ["rows: 7", "Line 2 (rows): rows must be a list."],
  ["users:\n  - {email: 1}", "Line 3 (users.0.email): email must be a text. Put it into quotes."],
  ["users:\n  - {name: A}", "Line 3 (users.0.email): email is missing. Write it."],
  ["users:\n  - {email: a@b, status: x}", "status must be one of: active, disabled."],
  [
    "rows:\n  - {connector: a, label: b, id: x}",
    "id must be a UUID, such as 8d4c1f0e-6b52-4a7d-9e3b-5f20c7a91d64. Leave it out to get a new one.",
  ],
  ["rows:\n  - {connector: a, label: b, enabled: 1}", "enabled must be true or false."],
  [
    `rows:\n  - {connector: a, label: b, tags: [${"x,".repeat(100)}x]}`,
    "tags must have at most 100 items.",
  ],
  ["rows:\n  - {connector: a, label: b, values: [1]}", "values must be an object."],
])("A mistake is described in the words of the hub: %j", (lines, message) => {
  const fault = readFault(`hub_file: 1\n${lines}\n`);
  expect(fault).toContain(message);
  expect(fault).not.toMatch(/Invalid|expected|received|Too /);
});
