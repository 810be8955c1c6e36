import { expect, test } from "bun:test";
import { cutShown } from "./cut-shown.ts";

test("A text is cut by characters and by lines, and never inside a character", () => {
  expect(cutShown("short", 10, 2)).toBe("short");
  expect(cutShown("0123456789x", 10, 2)).toBe("0123456789");
  expect(cutShown("a\nb\nc", 10, 2)).toBe("a\nb");
  expect(cutShown("123456789😀", 10, 2)).toBe("123456789");
  expect(cutShown("😀", 2, 1)).toBe("😀");
  expect(cutShown("", 10, 2)).toBe("");
});
