import { expect, test } from "bun:test";
import { toStoredText } from "@hub/connector";
import { toBaseUrl } from "./base-url.ts";
import { codehost } from "./connector.ts";

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

const field = codehost.configFields.find(({ key }) => key === "base_url");
const save = (text: string) => (field === undefined ? null : toStoredText(field, text));

test.each([
  "",
  "https://api.github.com",
  "https://code.example.com/api/v3",
  "https://code.example.com:8443/api/v3/",
  "https://proxy.example.com/code/api/v3",
  // What stands in for a host while one tries the connector.
  "http://127.0.0.1:4000",
])("%p can be saved", (text) => {
  expect(save(text)).toHaveProperty("text");
});

test.each([
  "https://code.example.com",
  "https://code.example.com/api",
  "https://github.com/octocat",
  "https://code.example.com/api/v3?x=1",
  "https://api.github.com.example.com",
])("%p is refused on saving, since no such host answers below it", (text) => {
  expect(save(text)).toMatchObject({
    issue: { path: "base_url", message: expect.stringMatching(/^must end in \/api\/v3/) },
  });
});
