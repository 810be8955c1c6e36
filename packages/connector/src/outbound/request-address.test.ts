import { expect, test } from "bun:test";
import { toBaseUrl, toPathPart, toRequestUrl } from "./request-address.ts";

test.each([
  ["https://code.example.com/api/v3", "https://code.example.com/api/v3"],
  [" https://code.example.com/api/v3// ", "https://code.example.com/api/v3"],
  ["http://localhost:8080/", "http://localhost:8080"],
])("The base URL of %p is %p", (saved, base) => {
  expect(toBaseUrl(saved)).toBe(base);
});

test.each([
  [undefined, "is not set"],
  [" ", "is not set"],
  ["code.example.com", "is not a valid address"],
  ["ftp://code.example.com", "must begin with https"],
  ["https://user@code.example.com", "contains a user name or password"],
  ["https://user:secret@code.example.com", "contains a user name or password"],
  ["https://code.example.com/api?x=1", "must not contain"],
  ["https://code.example.com/api?", "must not contain"],
  ["https://code.example.com/api#x", "must not contain"],
])("The base URL %p is refused: it %s", (saved, problem) => {
  expect(() => toBaseUrl(saved, "host_url")).toThrow(
    `This row's configuration is invalid: host_url ${problem}`,
  );
});

test("The problem of a base URL is a member of the error, and names the usual field", () => {
  expect(() => toBaseUrl("code.example.com")).toThrow(
    expect.objectContaining({ name: "SetupError", problem: "base_url is not a valid address" }),
  );
});

test("The error for a base URL does not quote it, because it may contain a password", () => {
  expect(() => toBaseUrl("https://user:hunter2@x.example")).toThrow(/^((?!hunter2).)*$/);
});

const refuse = (problem: string): never => {
  throw new Error(`label ${problem}`);
};

test("A part of a path is escaped, so that it stays one part", () => {
  expect(toPathPart("a/b?c#d %é", refuse)).toBe("a%2Fb%3Fc%23d%20%25%C3%A9");
});

test.each([
  ["", "is empty"],
  ["\ud800", "is not valid Unicode"],
  ["a\nb", "contains control characters"],
  ["a\u007f", "contains control characters"],
  [`%${"25".repeat(6)}2e`, "is percent-encoded too many times over"],
  ["..", 'contains "." or ".."'],
  ["a/../b", 'contains "." or ".."'],
  ["%2e%2e", 'contains "." or ".."'],
  ["%252e%252e", 'contains "." or ".."'],
  ["..\\x", 'contains "." or ".."'],
  ["a/..;x/b", 'contains "." or ".."'],
  ["%2e%2e%3bx", 'contains "." or ".."'],
  ["..?x", 'contains "." or ".."'],
  ["a/..%23", 'contains "." or ".."'],
  ["..%00", 'contains "." or ".."'],
  ["..%0a/x", 'contains "." or ".."'],
])("The part %p of a path is refused: it %s", (text, problem) => {
  expect(() => toPathPart(text, refuse)).toThrow(`label ${problem}`);
});

test("A path that a parser would read as another address is not requested", () => {
  const base = "https://code.example.com/api";
  expect(toRequestUrl(base, "/labels/a%2Fb").href).toBe(`${base}/labels/a%2Fb`);
  expect(() => toRequestUrl(base, "/labels/../admin")).toThrow("Nothing was sent");
  expect(() => toRequestUrl(base, "/labels/%2e%2E/admin")).toThrow("Nothing was sent");
  expect(() => toRequestUrl(base, "/labels/a b")).toThrow("Nothing was sent");
});

test.each([
  ".evil.example/x",
  "@evil.example/x",
  ":8080/x",
  "x",
  "",
])("The path %p without a slash does not change the host of a request", (path) => {
  expect(() => toRequestUrl("https://code.example.com", path)).toThrow("Nothing was sent");
});
