import { describe, expect, test } from "bun:test";
import { findNearest, suggest } from "./suggest.ts";

describe("findNearest", () => {
  test("finds the name that a misspelt one was meant to be", () => {
    expect(findNearest("requird", ["desc", "required", "regen"])).toBe("required");
    expect(findNearest("BaseURL", ["base_url", "token"])).toBe("base_url");
    expect(findNearest("apibaseurl", ["Token", "APIBaseURL"])).toBe("APIBaseURL");
    expect(findNearest("visble_wen", ["visible_when"])).toBe("visible_when");
  });

  test("of equally near names takes the first", () => {
    expect(findNearest("bat", ["cat", "hat"])).toBe("cat");
  });

  test("finds nothing where no name is near", () => {
    expect(findNearest("zzz", ["owner", "repo"])).toBeNull();
    expect(findNearest("owner", [])).toBeNull();
  });

  test("does not compare what is too long to be a name", () => {
    expect(findNearest("a".repeat(64), ["a".repeat(63)])).not.toBeNull();
    expect(findNearest("a".repeat(65), ["a".repeat(64)])).toBeNull();
  });
});

describe("suggest", () => {
  test("is a sentence to append, or nothing", () => {
    expect(suggest("ownr", ["owner"])).toBe(' Did you mean "owner"?');
    expect(suggest("zzz", ["owner"])).toBe("");
  });
});
