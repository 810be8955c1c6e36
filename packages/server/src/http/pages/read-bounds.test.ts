import { expect, test } from "bun:test";
import { readBounds } from "./read-bounds.ts";

test("Ids of rows and tools are told apart, and an empty form asks for no bounds", () => {
  expect(readBounds(new URLSearchParams("only=&addresses=+"))).toEqual({});
  const form = new URLSearchParams({ only: "r1, conn:r2/read\nr3", addresses: "10.0.0.0/8" });
  expect(readBounds(form)).toEqual({
    bounds: { rows: ["r1", "r3"], operations: ["conn:r2/read"], addresses: ["10.0.0.0/8"] },
  });
});
