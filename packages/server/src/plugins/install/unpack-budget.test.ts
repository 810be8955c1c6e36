import { describe, expect, test } from "bun:test";
import { defaultInstallLimits } from "./install-limits.ts";
import { createUnpackBudget } from "./unpack-budget.ts";

const mebibyte = 1024 * 1024;
const limits = {
  ...defaultInstallLimits,
  membersMax: 3,
  memberBytesMax: 100,
  totalBytesMax: 3 * mebibyte,
  expansionMax: 10,
};
const open = (archiveBytes = mebibyte) => createUnpackBudget("tracker", limits, archiveBytes);

test("Members are limited in number and size", () => {
  const budget = open();
  for (let n = 0; n < 3; n += 1) budget.takeMember(`m${n}`, 100);
  expect(() => budget.takeMember("m3", 1)).toThrow("Expected at most 3 members; found more.");
  expect(() => open().takeMember("m", 101)).toThrow(
    "Expected members of at most 100 bytes; found 101 in m.",
  );
});

test("The total size of all members is limited", () => {
  const budget = open();
  budget.takeBytes(3 * mebibyte);
  expect(() => budget.takeBytes(1)).toThrow("Expected at most 3 MiB unpacked; found more.");
});

test("The compression ratio is limited above one mebibyte", () => {
  const budget = open(10);
  budget.takeBytes(mebibyte);
  expect(() => budget.takeBytes(1)).toThrow(
    "Expected at most 10 bytes for each packed byte; found more.",
  );
  const larger = open(mebibyte / 5);
  larger.takeBytes(2 * mebibyte - 1);
  expect(() => larger.takeBytes(2)).toThrow("for each packed byte");
});

describe("the path of a member", () => {
  test.each([
    "plugin.json",
    "tracker-1.0.0/plugin.json",
    "folder/",
    "n".repeat(255),
    "ünïcode",
  ])("A member's path may be %s", (path) => {
    expect(() => open().takeMember(path, 1)).not.toThrow();
  });

  test.each([
    ...["../x", "a/../x", "/etc/passwd", "a/b/c", "a//b", ".", "..", "", "a/./b", "./."],
    ...["C:\\x", "a\\b", "a:b", "a\nb", "a\u0000b", "n".repeat(256)],
  ])("A member's path may not be %j (attack)", (path) => {
    expect(() => open().takeMember(path, 1)).toThrow("the plugin's folder");
  });
});
