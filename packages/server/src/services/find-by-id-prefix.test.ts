import { expect, test } from "bun:test";
import { findByIdPrefix } from "./find-by-id-prefix.ts";

const items = [{ id: "abcdef01" }, { id: "abcdef02" }, { id: "0123456789" }];

test("an id is found by itself and by six characters of its beginning, in whatever case", () => {
  expect(findByIdPrefix(items, "0123456789")).toEqual({ id: "0123456789" });
  expect(findByIdPrefix(items, " 012345 ")).toEqual({ id: "0123456789" });
  expect(findByIdPrefix(items, "ABCDEF02")).toEqual({ id: "abcdef02" });
});

test("five characters are too easily another's, and what begins no id finds nothing", () => {
  expect(findByIdPrefix(items, "01234")).toBeNull();
  expect(findByIdPrefix(items, "1234567")).toBeNull();
});

test("a beginning of several names them, and takes none", () => {
  const find = () => findByIdPrefix(items, "abcdef");
  expect(find).toThrow('"abcdef" fits abcdef01, abcdef02.');
  expect(find).toThrow(expect.objectContaining({ code: "conflict" }));
});
