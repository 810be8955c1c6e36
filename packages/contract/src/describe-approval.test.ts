import { expect, test } from "bun:test";
import { describePendingCall } from "./describe-approval.ts";

test("A call is described by what it waits for", () => {
  const call = { user: "ada@example.com", operation_name: "Create an issue" };
  const lines = (["approval", "account", "input", "running"] as const).map((reason) =>
    describePendingCall({ ...call, reason }),
  );
  expect(lines).toEqual([
    "May ada@example.com call Create an issue?",
    "ada@example.com must connect an account to call Create an issue",
    "Create an issue asks ada@example.com for more",
    "ada@example.com calls Create an issue",
  ]);
});
