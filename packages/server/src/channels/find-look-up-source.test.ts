import { expect, test } from "bun:test";
import { InvalidInputError } from "@hub/connector";
import { findSource } from "./find-look-up-source.ts";

const names = ["telegram.chats", "telegram.users"] as const;
const aliases = { channels: "telegram.chats" } as const;

test.each([
  ["telegram.chats", "telegram.chats"],
  ["users", "telegram.users"],
  ["channels", "telegram.chats"],
])("The source %s is %s", (source, name) => {
  expect(findSource(names, source, aliases)).toBe(name as (typeof names)[number]);
});

test.each([
  "telegram.user",
  "slack.users",
  "constructor",
  "",
])("The source %p is refused with those that are known", (source) => {
  const find = () => findSource(names, source, aliases);
  expect(find).toThrow(InvalidInputError);
  expect(find).toThrow("telegram.chats, telegram.users");
});
