import { expect, test } from "bun:test";
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { craftTar } from "../testing/craft-tar.ts";
import { defaultInstallLimits } from "./install-limits.ts";
import { unpackArchive } from "./unpack-archive.ts";

test("A member larger than all headers may be is unpacked: its bytes do not count as headers", async () => {
  const folder = await mkdtemp(join(tmpdir(), "hub-unpack-"));
  try {
    // Random, so that it is not refused for how much it expands.
    const content = randomBytes(1024 * 1024).toString("hex");
    const path = join(folder, "plugin.tar.gz");
    const members = ["first", "second"].map((name) => ({ header: { name }, content }));
    await writeFile(path, await craftTar(members));
    const target = join(folder, "unpacked");
    await unpackArchive(defaultInstallLimits, { plugin: "large", path, target });
    for (const name of ["first", "second"]) {
      expect((await readFile(join(target, name), "utf8")) === content).toBe(true);
    }
  } finally {
    await rm(folder, { recursive: true });
  }
});
