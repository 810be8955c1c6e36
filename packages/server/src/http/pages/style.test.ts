import { expect, test } from "bun:test";
import { answerStyle } from "./style.ts";

test("A browser without light-dark() gets every colour of both schemes", async () => {
  const css = await answerStyle().text();
  const names = [...css.matchAll(/(--[\w-]+): light-dark\(/g)].map(([, name]) => name);
  expect(names).toContain("--edge");
  const fallback = /@supports not \(color: light-dark\(#000, #fff\)\) \{[\s\S]*?\n\}/.exec(
    css,
  )?.[0];
  const rules = [...(fallback ?? "").matchAll(/(:root\S*) \{ ([^}]*) \}/g)];
  expect(rules.map(([, selector]) => selector)).toEqual([
    ":root",
    ':root[data-scheme="dark"]',
    ':root:not([data-scheme="light"])',
  ]);
  for (const [, , colours = ""] of rules) {
    const given = [...colours.matchAll(/(--[\w-]+): #[0-9a-f]{6};/g)].map(([, name]) => name);
    expect(given).toEqual(names);
  }
});
