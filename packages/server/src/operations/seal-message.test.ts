import { expect, test } from "bun:test";
import { cutTextAtCharacter } from "../lib/cut-json.ts";
import { describeCause } from "./describe-cause.ts";
import { sealDetails, sealMessage } from "./seal-message.ts";

const mask = {
  sealText: (text: string) => text,
  sealJson: (value: unknown) => value,
  cutText: cutTextAtCharacter,
};
const huge = "x".repeat(1024 * 1024);

test("what a connector says is cut to size, in words and beside them", () => {
  expect(sealMessage(mask, "short")).toBe("short");
  expect(sealMessage(mask, huge).length).toBeLessThanOrEqual(4 * 1024);
  expect(sealMessage(mask, { huge }).length).toBeLessThanOrEqual(4 * 1024);
  expect(JSON.stringify(sealDetails(mask, { huge })).length).toBeLessThanOrEqual(16 * 1024);
});

test("what it throws is cut to size for the log", () => {
  const thrown = new Error(huge, { cause: new Error(huge) });
  expect(JSON.stringify(describeCause(mask, thrown)).length).toBeLessThanOrEqual(16 * 1024);
  expect(describeCause(mask, new Error("short"))).toMatchObject({
    stack: expect.stringContaining("short"),
  });
});
