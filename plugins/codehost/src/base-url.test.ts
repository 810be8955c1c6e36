import { expect, test } from "bun:test";
import { toBaseUrl } from "./base-url.ts";

test.each([
  [undefined, "https://api.github.com"],
  ["", "https://api.github.com"],
  ["https://code.example.com/api/v3", "https://code.example.com/api/v3"],
  [" https://code.example.com/api/v3// ", "https://code.example.com/api/v3"],
  ["http://localhost:8080/", "http://localhost:8080"],
])("%p is %p", (saved, base) => {
  expect(toBaseUrl(saved)).toBe(base);
});

test.each([
  "https://user@code.example.com",
  "https://user:secret@code.example.com",
  "https://code.example.com/api/v3?x=1",
  "https://code.example.com/api/v3#x",
  "https://code.example.com/api/v3?",
  "ftp://code.example.com",
  "code.example.com",
])("%p is refused", (saved) => {
  expect(() => toBaseUrl(saved)).toThrow(/^This row cannot be used .* base_url /);
});

test("what is refused is not repeated, since it may hold a password", () => {
  expect(() => toBaseUrl("https://user:hunter2@x.example")).toThrow(/^((?!hunter2).)*$/);
});
