import { expect, test } from "bun:test";
import { toFreeSpace } from "../lib/files/free-space.ts";
import { createDiskJob } from "./check-disk.ts";

const mebibyte = 1024 ** 2;

test.each([
  [2048, []],
  [1024, ["warned"]],
  [10, ["warned"]],
])("With %d MiB free on the disk, the log is %p", async (free, expected) => {
  const warnings: string[] = [];
  const warn = (fields: object) => {
    warnings.push("warned");
    expect(fields).toMatchObject({
      freeBytes: free * mebibyte,
      advice: expect.stringMatching(/\/srv\/hub.*HUB_AUDIT_BYTES_MAX/),
    });
  };
  const readFree = async () => toFreeSpace(free * mebibyte, 0);
  const job = createDiskJob({ dataDir: "/srv/hub", bytesMin: 0, log: { warn }, readFree });
  expect([job.runsAtStart, job.everyMs]).toEqual([true, 86_400_000]);
  await job.run();
  expect(warnings).toEqual(expected);
});
