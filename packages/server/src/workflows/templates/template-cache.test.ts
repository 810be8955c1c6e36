import { describe, expect, test } from "bun:test";
import { createTemplateCache } from "./template-cache.ts";

describe("the cache of templates", () => {
  test("parses a source once", () => {
    const cache = createTemplateCache({ charsMax: 100 });
    expect(cache.parse("{{now}}")).toBe(cache.parse("{{now}}"));
  });

  test("keeps the templates that were used last, within its size", () => {
    const cache = createTemplateCache({ charsMax: 20 });
    const first = cache.parse("1{{now}}");
    const second = cache.parse("2{{now}}");
    cache.parse("1{{now}}");
    cache.parse("3{{now}}");
    expect(cache.count()).toBe(2);
    expect(cache.parse("1{{now}}")).toBe(first);
    expect(cache.parse("2{{now}}")).not.toBe(second);
  });

  test("does not keep a template that is larger than the cache", () => {
    const cache = createTemplateCache({ charsMax: 20 });
    cache.parse("x".repeat(21));
    expect(cache.count()).toBe(0);
  });

  test("throws for a source that is no template, each time", () => {
    const cache = createTemplateCache({ charsMax: 20 });
    expect(() => cache.parse("{{")).toThrow("not closed");
    expect(() => cache.parse("{{")).toThrow("not closed");
  });
});
