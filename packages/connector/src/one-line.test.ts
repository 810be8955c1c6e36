import { expect, test } from "bun:test";
import { oneLine } from "./one-line.ts";

test("A description becomes its first paragraph on one line", () => {
  expect(oneLine("  Lists issues.\n  Newest first.\n \nLonger\nadvice.")).toBe(
    "Lists issues. Newest first.",
  );
  expect(oneLine("Windows\r\nlines\r\n\r\nmore")).toBe("Windows lines");
  expect(oneLine("\n\nAfter empty lines.")).toBe("After empty lines.");
  expect(oneLine("")).toBe("");
});
