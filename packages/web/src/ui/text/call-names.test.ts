import { expect, test } from "bun:test";
import { hubCallerId } from "@hub/contract/hub-caller.ts";
import { describeSource, toCallArgument, toCaller, toCallName, toClient } from "./call-names.ts";

const ada = "019a0000-0000-7000-8000-000000000001";
const made = { source: "test", client: null } as const;

test("What the hub asks by itself is said in words, without a user or an argument", () => {
  const check = { operation_key: "hub.health", user: null, argument: "20528", ...made };
  const own = { ...check, user_id: hubCallerId };
  expect(toCallName(own)).toBe("Health check");
  expect(toCallArgument(own)).toBeNull();
  expect([toCaller(own), toClient(own), describeSource(own)]).toEqual([
    "The hub",
    "The hub",
    "The hub",
  ]);
});

test("A user who asks it is named, and said to be deleted once they are", () => {
  const asked = { operation_key: "hub.health", user_id: ada, ...made };
  expect(toCaller({ ...asked, user: "ada@example.com" })).toBe("ada@example.com");
  expect(toCaller({ ...asked, user: null })).toBe("Deleted user");
  expect(toClient(asked)).toBe("Test");
  expect(describeSource(asked)).toBe("A page of the hub, or its API");
});

test("An operation has its own key and argument, and a client its name", () => {
  const call = {
    operation_key: "get",
    user_id: ada,
    argument: "/orders/17",
    source: "mcp",
  } as const;
  expect(toCallName(call)).toBe("get");
  expect(toCallArgument(call)).toBe("/orders/17");
  expect(toClient({ ...call, client: "Claude Code" })).toBe("Claude Code");
  expect(toClient({ ...call, client: null })).toBe("Client");
  expect(describeSource(call)).toBe("A client");
});
