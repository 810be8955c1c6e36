import { expect, test } from "bun:test";
import { createTokenUses } from "./token-uses.ts";

test("Only the first use of a token in this process is announced as such", () => {
  const uses = createTokenUses();
  expect(uses.hasFirst()).toBeFalse();
  uses.record("one", 1);
  expect(uses.hasFirst()).toBeTrue();
  expect(uses.take()).toEqual([{ id: "one", at: 1 }]);
  uses.record("one", 2);
  expect([uses.hasFirst(), uses.take()]).toEqual([false, [{ id: "one", at: 2 }]]);
  uses.record("two", 3);
  expect(uses.hasFirst()).toBeTrue();
});
