import { expect, test } from "bun:test";
import { inspect } from "node:util";
import { Secret } from "./secret.ts";

const secret = new Secret("hunter2");

test.each([
  ["JSON", JSON.stringify({ password: secret }), '{"password":"[secret]"}'],
  ["String", String(secret), "[secret]"],
  ["a template", `${secret}`, "[secret]"],
  ["a joined list", ["a", secret].join(" "), "a [secret]"],
  ["util.inspect", inspect({ password: secret }, { showHidden: true }), "{ password: [secret] }"],
  ["the console of Bun", Bun.inspect(secret), "[secret]"],
  ["Object.entries", JSON.stringify(Object.entries(secret)), "[]"],
  ["a spread", JSON.stringify({ ...secret }), "{}"],
])("a secret never shows in %s", (_name, shown, expected) => {
  expect(shown).toBe(expected);
});

test("reveal gives the plaintext", () => {
  expect(secret.reveal()).toBe("hunter2");
});
