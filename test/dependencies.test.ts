/** Protects: `npm install` on Node 20 prints no warning about a package that asks for a newer one. */
import { expect, test } from "bun:test";
import { join } from "node:path";

type Locked = { packages: Record<string, { engines?: { node?: string } }> };

test("Every package in the lock file runs on Node 20", async () => {
  const lockFile = Bun.file(join(import.meta.dirname, "..", "package-lock.json"));
  const { packages }: Locked = await lockFile.json();
  const ranges = Object.entries(packages).flatMap(([place, { engines }]) =>
    engines?.node === undefined ? [] : [{ place, range: engines.node }],
  );
  expect(ranges.length).toBeGreaterThan(50);
  // The last release of Node 20.
  const newer = ranges.filter(({ range }) => !Bun.semver.satisfies("20.20.2", range));
  expect(newer).toEqual([]);
});
