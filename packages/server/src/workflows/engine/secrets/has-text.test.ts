import { expect, test } from "bun:test";
import { hasMoreChars, hasText } from "./has-text.ts";

/** As a webhook's payload, whose body is made when it is read. */
function toPayload(text: string): { raw: string; readonly body: string } {
  return {
    raw: text,
    get body(): string {
      throw new Error("The body was made");
    },
  };
}

test("The search ends at the first match, before a later member is made", () => {
  expect(hasText(toPayload("wanted"), (text) => text === "wanted")).toBe(true);
});

test("The size of a value is known before its later members are made", () => {
  expect(hasMoreChars(toPayload("x".repeat(100)), 50)).toBe(true);
  expect(hasMoreChars({ raw: "x".repeat(100) }, 103)).toBe(false);
});
