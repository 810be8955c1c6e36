import { expect, test } from "bun:test";
import { createSpaceGuard } from "./space-guard.ts";

function openGuard(bytesMin = 100) {
  const disk = { free: 100, reads: 0, nowMs: 0 };
  const lines: string[] = [];
  const note = (_: object, line = "") => void lines.push(line);
  const guard = createSpaceGuard({
    folder: "/srv/hub",
    bytesMin,
    log: { warn: note, info: note },
    readMs: () => disk.nowMs,
    readFree(folder) {
      expect(folder).toBe("/srv/hub");
      disk.reads += 1;
      if (Number.isNaN(disk.free)) throw new Error("The disk is gone.");
      return disk.free;
    },
  });
  return { disk, lines, guard };
}

test("New work is refused below the floor, and taken when there is space again; each change is one line", () => {
  const { disk, lines, guard } = openGuard();
  guard.requireSpace();
  disk.free = 99;
  guard.requireSpace();
  disk.nowMs = 20;
  for (let again = 0; again < 3; again += 1) {
    expect(guard.requireSpace).toThrow(
      expect.objectContaining({ code: "insufficient_storage", detail: { retry_after_s: 30 } }),
    );
  }
  disk.free = 100;
  disk.nowMs = 40;
  guard.requireSpace();
  expect(lines).toEqual([
    "The disk is almost full: new work is refused",
    "The disk has space again: new work is taken",
  ]);
  expect(disk.reads).toBe(3);
});

test("What is permitted and not stored yet takes its space, twice, until the disk counts it", () => {
  const { disk, lines, guard } = openGuard();
  disk.free = 150;
  guard.requireSpace(10);
  disk.nowMs = 20;
  guard.requireSpace(10);
  expect(() => guard.requireSpace(6)).toThrow("takes no new work");
  guard.requireSpace(5);
  expect(() => guard.requireSpace(1)).toThrow("takes no new work");
  // The first is stored, and the others are on their way.
  Object.assign(disk, { free: 140, nowMs: 1_010 });
  expect(() => guard.requireSpace(6)).toThrow("takes no new work");
  guard.requireSpace(5);
  disk.nowMs = 3_000;
  guard.requireSpace(20);
  expect(lines).toEqual([]);
});

test("A disk that cannot be read refuses nothing, and a floor of 0 is not read", () => {
  const { disk, guard } = openGuard();
  disk.free = Number.NaN;
  guard.requireSpace();
  const off = openGuard(0);
  off.disk.free = 0;
  off.guard.requireSpace();
  expect(off.disk.reads).toBe(0);
});
