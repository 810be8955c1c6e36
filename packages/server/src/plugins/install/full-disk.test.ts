import { expect, test } from "bun:test";
import { isFullDisk, toFullDiskError } from "./full-disk.ts";

const fail = (code: string) => Object.assign(new Error("write failed"), { code });

test.each([
  "ENOSPC",
  "EDQUOT",
])("The failure %s of a full disk or quota says what to do", (code) => {
  const cause = fail(code);
  expect(isFullDisk(cause)).toBeTrue();
  expect(toFullDiskError(cause)).toMatchObject({
    code: "internal",
    cause,
    message: expect.stringContaining("Free about three times the size of the archive"),
  });
});

test.each<[string, unknown]>([
  ["of missing rights", fail("EACCES")],
  ["without a code", new Error("write failed")],
  ["that is not an Error", "ENOSPC"],
  ["that is null", null],
])("A failure %s is not that of a full disk and is kept", (_, thrown) => {
  expect(isFullDisk(thrown)).toBeFalse();
  expect(toFullDiskError(thrown)).toBe(thrown);
});
