import { expect, test } from "bun:test";
import { toStoredText } from "@hub/connector";
import { toBaseUrl } from "./codehost-base-url.ts";
import { codehost } from "./connector.ts";

test.each([
  [undefined, "https://api.github.com"],
  ["", "https://api.github.com"],
  ["https://code.example.com/api/v3", "https://code.example.com/api/v3"],
  [" https://code.example.com/api/v3// ", "https://code.example.com/api/v3"],
  ["http://localhost:8080/", "http://localhost:8080"],
])("The base URL of %p is %p", (saved, base) => {
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
])("The base URL %p is refused", (saved) => {
  expect(() => toBaseUrl(saved)).toThrow(/^This row's configuration is invalid: base_url /);
});

test("The error for a base URL does not quote it, because it may contain a password", () => {
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
  // A test server.
  "http://127.0.0.1:4000",
])("The base URL %p can be saved", (text) => {
  expect(save(text)).toHaveProperty("text");
});

test.each([
  "https://code.example.com",
  "https://code.example.com/api",
  "https://github.com/octocat",
  "https://code.example.com/api/v3?x=1",
  "https://api.github.com.example.com",
])("The base URL %p is refused on saving", (text) => {
  expect(save(text)).toMatchObject({
    issue: { path: "base_url", message: expect.stringMatching(/^must end in \/api\/v3/) },
  });
});
