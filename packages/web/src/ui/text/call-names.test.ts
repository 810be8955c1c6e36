import { expect, test } from "bun:test";
import { toCallArgument, toCaller, toCallName } from "./call-names.ts";

test("What the hub asks by itself is said in words, without a user or an argument", () => {
  const check = { operation_key: "hub.health", user: null, argument: "20528" };
  expect(toCallName(check)).toBe("Health check");
  expect(toCaller(check)).toBe("The hub");
  expect(toCaller({ ...check, user: "ada@example.com" })).toBe("ada@example.com");
  expect(toCallArgument(check)).toBeNull();
});

test("An operation has its own key, and a user that is gone is said to be", () => {
  const call = { operation_key: "get", user: null, argument: "/orders/17" };
  expect(toCallName(call)).toBe("get");
  expect(toCaller(call)).toBe("Deleted user");
  expect(toCallArgument(call)).toBe("/orders/17");
});
