import { expect, test } from "bun:test";
import { findLevelFaults } from "../scripts/check-levels.ts";

test("every import goes to a lower level or stays in its own folder", async () => {
  expect(await findLevelFaults()).toEqual([]);
});
