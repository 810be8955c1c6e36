import { expect, test } from "bun:test";
import { findLevelFaults } from "../scripts/check-levels.ts";

test("Every import is from a lower level or from the same folder", async () => {
  expect(await findLevelFaults()).toEqual([]);
});
