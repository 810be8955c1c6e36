import { expect, test } from "bun:test";
import { findJsonExcess } from "./scan-json.ts";

const limits = { depthMax: 3, valuesMax: 6 };

test.each([
  ["[[[1]]]", null],
  ["[[[[1]]]]", "depth"],
  ['{"a":{"b":[{}]}}', "depth"],
  ['["[[[[", "]", "\\"[[[["]', null],
  ["[1,2,3,4,5,6]", "values"],
  ['{"a":1,"b":2,"c":3,"d":4}', null],
  ['["a,b,c,d,e,f,g"]', null],
  ["[[],[],[]]", "values"],
  ['"never ended [[[[', null],
])("JSON that is too expensive to parse is found: %s", (text, excess) => {
  expect(findJsonExcess(text, limits)).toBe(excess as never);
});

test("The scan stops at the first excess, whatever the length of the rest", () => {
  // Of eight million brackets, the fourth decides.
  let read = 0;
  const text = {
    length: 8_000_000,
    charCodeAt(at: number) {
      read = at;
      return 0x5b;
    },
  };
  expect(findJsonExcess(text as unknown as string, limits)).toBe("depth");
  expect(read).toBe(3);
});
