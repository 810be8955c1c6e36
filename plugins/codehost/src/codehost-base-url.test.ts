import { expect, test } from "bun:test";
import { toStoredText } from "@hub/connector";
import { codehost } from "./connector.ts";

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
