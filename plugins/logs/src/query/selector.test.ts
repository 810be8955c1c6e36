import { expect, test } from "bun:test";
import { findSelector } from "./selector.ts";

test.each([
  ['{app="api"} |= "{x}"', '{app="api"}', ["app=api"]],
  [
    'sum(rate({app="a}b", env=~`x|y`} |= "}" [5m]))',
    '{app="a}b", env=~`x|y`}',
    ["app=a}b", "env=~x|y"],
  ],
  ['{ app != "a\\"b" }', '{ app != "a\\"b" }', ['app!=a"b']],
  ['{app="x=\\"y\\"", b!~"z"}', '{app="x=\\"y\\"", b!~"z"}', ['app=x="y"', "b!~z"]],
  ["{}", "{}", []],
])("The stream selector of %p is found", (query, text, matchers) => {
  const found = findSelector(query);
  expect(found?.text).toBe(text);
  expect(found?.matchers.map(({ label, operator, value }) => label + operator + value)).toEqual(
    matchers,
  );
});

test.each([
  "",
  "error",
  '{app="api"',
  '"{app=}"',
  "vector(1)",
])("The query %p has no stream selector", (query) => {
  expect(findSelector(query)).toBeNull();
});
