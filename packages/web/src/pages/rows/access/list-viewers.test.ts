import { expect, test } from "bun:test";
import type { User } from "@hub/contract/user.ts";
import { listViewers } from "./list-viewers.ts";

function makeUser(email: string, given: Partial<User> = {}): User {
  const created_at = "2026-11-20T00:00:00.000Z";
  return {
    id: email,
    email,
    name: "",
    role: "user",
    status: "active",
    tags: [],
    created_at,
    ...given,
  };
}

const users = [
  makeUser("ada", { tags: ["blue"] }),
  makeUser("bob"),
  makeUser("eve", { tags: ["blue"], status: "disabled" }),
  makeUser("root", { role: "admin" }),
];
const list = (...tags: string[]) =>
  listViewers(users, tags).map(({ user, reason }) => [user.email, reason]);

test("Without a tag only admins see a row", () => {
  expect(list()).toEqual([["root", "admin"]]);
});

test("Active users with a tag of the row see it, and with everyone all of them", () => {
  expect(list("blue")).toEqual([
    ["ada", "blue"],
    ["root", "admin"],
  ]);
  expect(list("everyone")).toEqual([
    ["ada", "everyone"],
    ["bob", "everyone"],
    ["root", "admin"],
  ]);
});
