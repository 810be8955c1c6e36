import { expect, test } from "bun:test";
import { hubsMax, readHubPath } from "./hub-path.ts";

const id = "0199a2b4-0000-7000-8000-00000000000a";

test.each([
  [[id], [id]],
  [[], []],
  ["text", []],
  [null, []],
  [{ length: 1 }, []],
  [[id.toUpperCase(), `${id}0`, 5, [id], { id }], []],
])("The path %j has the ids %j", (value, ids) => {
  expect(readHubPath(value)).toEqual(ids);
});

test("What is no id hides no hub, and a long path is cut to one more than allowed", () => {
  const junk = Array.from({ length: 100 }, () => "junk");
  expect(readHubPath([...junk, id])).toEqual([id]);
  expect(readHubPath(Array.from({ length: 1000 }, () => id))).toHaveLength(hubsMax + 1);
});
