import { expect, test } from "bun:test";
import { createRunStorage } from "./run-storage.ts";

const of = (workflowId: string, ownerId = "ada") => ({ workflowId, ownerId });

test("A workflow that has stored its bytes of a day starts nothing, and other workflows go on", () => {
  const storage = createRunStorage({ now: () => 0, perDay: 100 });
  storage.require(of("first"), 100);
  storage.add(of("first"), 100);
  expect(() => storage.require(of("first"), 50)).toThrow(
    expect.objectContaining({ code: "rate_limited", detail: { retry_after_s: 43_200 } }),
  );
  expect(() => storage.require(of("first"), 1)).toThrow(/^The runs of this workflow have stored/);
  storage.require(of("second"), 100);
});

test("The workflows of a user have four times the bytes of one together, and other users go on", () => {
  const storage = createRunStorage({ now: () => 0, perDay: 100 });
  for (const id of ["1", "2", "3", "4"]) storage.add(of(id), 100);
  expect(() => storage.require(of("5"), 1)).toThrow(/^The workflows of this workflow's owner/);
  storage.require(of("6", "ben"), 100);
});
