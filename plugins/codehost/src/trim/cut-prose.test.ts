import { expect, test } from "bun:test";
import { cutProse, toProseLimits } from "./cut-prose.ts";

const limits = toProseLimits("get_issue gives all");

test("A cut text says how many characters are missing and which operation returns them", () => {
  const item = { title: "t".repeat(400), body: "b".repeat(1000) };
  expect(cutProse(item, limits, [])).toEqual({
    title: "t".repeat(400),
    body: `${"b".repeat(280)}… [720 more characters: get_issue gives all]`,
  });
});

test("A text at the limit is not cut", () => {
  expect(cutProse([{ body: "b".repeat(280) }], limits, [])).toEqual([{ body: "b".repeat(280) }]);
});

test("A cut does not split a character", () => {
  const body = `${"b".repeat(279)}🌍🌍`;
  const cut = cutProse({ body }, limits, []);
  expect(cut).toEqual({ body: `${"b".repeat(279)}… [4 more characters: get_issue gives all]` });
});

test("A cut does not split a secret of the row, because masking would not find half of it", () => {
  const body = `${"b".repeat(275)}ghp_0123456789 and more`;
  expect(cutProse({ body }, limits, ["ghp_0123456789"])).toEqual({
    body: `${"b".repeat(275)}… [23 more characters: get_issue gives all]`,
  });
});
