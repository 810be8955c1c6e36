import { describe, expect, test } from "bun:test";
import { compilePattern } from "./pattern.ts";

const fail = (source: string, text?: string) => {
  try {
    const pattern = compilePattern(source);
    return text === undefined ? "" : String(pattern.isFoundIn(text));
  } catch (thrown) {
    return thrown instanceof Error ? `${thrown.name}: ${thrown.message}` : "";
  }
};

describe("compilePattern", () => {
  test("An invalid or unsupported pattern is refused with the reason", () => {
    expect(fail("(a")).toBe(
      "PatternError: The pattern is not valid: missing closing ): `(a`. It is in the syntax of RE2, which has no look-around and no back-references.",
    );
    for (const source of ["(?=a)b", "(?<!a)b", "(a)\\1", "a{1001}", "a**", "[z-a]"]) {
      expect(fail(source)).toStartWith("PatternError: The pattern is not valid: ");
    }
  });

  test("A pattern that makes other engines slow is answered", () => {
    expect(fail("^(a+)+$", `${"a".repeat(50_000)}b`)).toBe("false");
    expect(fail("(x+x+)+y", "x".repeat(50_000))).toBe("false");
  });

  test("A pattern of more than 1,000 characters is refused", () => {
    expect(fail("a".repeat(1000), "")).toBe("false");
    expect(fail("a".repeat(1001), "")).toStartWith("PatternError: The pattern is too long.");
  });

  test("A large pattern searches only short texts", () => {
    const source = "(a|b)*a(a|b){200}[cd]";
    expect(fail(source, "ab".repeat(1000))).toBe("false");
    expect(fail(source, "ab".repeat(10_000))).toStartWith(
      "PatternError: The text has 20000 characters, and this pattern can search 3",
    );
  });
});
