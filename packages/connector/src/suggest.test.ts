import { describe, expect, test } from "bun:test";
import { findNearest, suggest } from "./suggest.ts";

describe("findNearest", () => {
  test("findNearest returns the closest name for a misspelt one", () => {
    expect(findNearest("requird", ["desc", "required", "regen"])).toBe("required");
    expect(findNearest("BaseURL", ["base_url", "token"])).toBe("base_url");
    expect(findNearest("apibaseurl", ["Token", "APIBaseURL"])).toBe("APIBaseURL");
    expect(findNearest("visble_wen", ["visible_when"])).toBe("visible_when");
  });

  test("findNearest returns the first of equally close names", () => {
    expect(findNearest("bat", ["cat", "hat"])).toBe("cat");
  });

  test("findNearest returns nothing if no name is close", () => {
    expect(findNearest("zzz", ["owner", "repo"])).toBeNull();
    expect(findNearest("owner", [])).toBeNull();
  });

  test("findNearest returns the only name that begins with the text", () => {
    expect(findNearest("Tool", ["type", "tool_id", "params"])).toBe("tool_id");
    expect(findNearest("read", ["read_messages", "read_channels"])).toBeNull();
    expect(findNearest("to", ["tool_id"])).toBeNull();
  });

  test("findNearest does not compare texts that are too long for names", () => {
    expect(findNearest("a".repeat(64), ["a".repeat(63)])).not.toBeNull();
    expect(findNearest("a".repeat(65), ["a".repeat(64)])).toBeNull();
  });
});

describe("suggest", () => {
  test("suggest returns a sentence to append, or an empty text", () => {
    expect(suggest("ownr", ["owner"])).toBe(' Did you mean "owner"?');
    expect(suggest("zzz", ["owner"])).toBe("");
  });
});
