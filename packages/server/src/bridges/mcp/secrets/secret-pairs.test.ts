import { expect, test } from "bun:test";
import { readHeaders, readVariables } from "./secret-pairs.ts";

test("Headers are lines or a JSON object", () => {
  const expected: [string, string][] = [
    ["X-Key", "a: b"],
    ["X-Other", "c"],
  ];
  expect(readHeaders("X-Key: a: b\r\n\n X-Other:c")).toEqual(expected);
  expect(readHeaders('{"X-Key": "a: b", "X-Other": "c"}')).toEqual(expected);
  expect(readHeaders(undefined)).toEqual([]);
});

test("Variables are lines or a JSON object", () => {
  expect(readVariables("A=b=c\nD=")).toEqual([
    ["A", "b=c"],
    ["D", ""],
  ]);
});

test.each([
  ["no separator", "secret-text"],
  ["no name", "=secret-text"],
  ["an invalid name", "A B=secret-text"],
  ["a number", '{"A": 1, "B": "secret-text"}'],
  ["a control character", '{"A": "secret-text\\u0000"}'],
  ["invalid JSON", '{"A": secret-text'],
])("Variables with %s are refused, and the message does not repeat them", (_, text) => {
  const read = () => readVariables(text);
  expect(read).toThrow("The row's field Env");
  expect(read).not.toThrow("secret-text");
});

test("Headers that the hub sets are refused", () => {
  expect(() => readHeaders("Mcp-Session-Id: stolen")).toThrow("sets the header");
  expect(() => readHeaders("Host: other")).toThrow("sets the header");
});
