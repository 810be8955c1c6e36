import { expect, test } from "bun:test";
import { mkdtemp, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { layDatabase } from "../testing/open-test-store.ts";
import { takeSnapshot, withSnapshot } from "./take-snapshot.ts";

test("A snapshot is a whole database that only its user can read", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hub-snapshot-"));
  try {
    await layDatabase(folder);
    const path = join(folder, "copy.sqlite");
    takeSnapshot(folder, path);
    expect((await stat(path)).mode & 0o777).toBe(0o600);
    expect(withSnapshot(path, ({ migrations }) => migrations.length)).toBeGreaterThan(30);
    // A snapshot never replaces a file.
    expect(() => takeSnapshot(folder, path)).toThrow();
  } finally {
    await rm(folder, { recursive: true });
  }
});
