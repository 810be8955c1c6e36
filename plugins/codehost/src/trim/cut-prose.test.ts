import { expect, test } from "bun:test";
import { cutProse, toProseLimits } from "./cut-prose.ts";

const limits = toProseLimits("get_issue gives all");

test("a long text in a list says how much was cut and who gives the whole", () => {
  const item = { title: "t".repeat(400), body: "b".repeat(1000) };
  expect(cutProse(item, limits, [])).toEqual({
    title: "t".repeat(400),
    body: `${"b".repeat(280)}… [720 more characters: get_issue gives all]`,
  });
});

test("a text at the limit stays whole", () => {
  expect(cutProse([{ body: "b".repeat(280) }], limits, [])).toEqual([{ body: "b".repeat(280) }]);
});

test("no character is cut in half", () => {
  const body = `${"b".repeat(279)}🌍🌍`;
  const cut = cutProse({ body }, limits, []);
  expect(cut).toEqual({ body: `${"b".repeat(279)}… [4 more characters: get_issue gives all]` });
});

test("no secret of the row is cut in half, where no mask would find it", () => {
  const body = `${"b".repeat(275)}ghp_0123456789 and more`;
  expect(cutProse({ body }, limits, ["ghp_0123456789"])).toEqual({
    body: `${"b".repeat(275)}… [23 more characters: get_issue gives all]`,
  });
});
