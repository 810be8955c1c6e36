import { expect, test } from "bun:test";
import { applyTagChange, describeOthersChange, findTagChange } from "./tag-difference.ts";

test("An edit of tags is what was added and removed, so that changes of others stay", () => {
  const change = findTagChange(["red", "blue"], ["red", "green"]);
  expect(change).toEqual({ add_tags: ["green"], remove_tags: ["blue"] });
  expect(applyTagChange(["blue", "red", "white"], change)).toEqual(["green", "red", "white"]);
});

test("The second of two admins is told what the first one has changed", () => {
  expect(describeOthersChange(["red"], ["red"])).toBeNull();
  expect(describeOthersChange(["red"], ["blue", "white"])).toBe(
    "Meanwhile another admin has added blue, white and removed red.",
  );
});
