import { expect, test } from "bun:test";
import { mkdir, mkdtemp, rm, symlink, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { toPluginFolders } from "../installed/plugin-folders.ts";
import { findLocalCopy, isRemovedCopy } from "./local-copies.ts";

test("A copy whose version is being removed is no copy by hand", async () => {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-copies-"));
  try {
    const folders = toPluginFolders(dataDir);
    await mkdir(join(dataDir, "plugins"));
    expect(await findLocalCopy(folders, "absent")).toEqual({ kind: "none" });
    await symlink(folders.toLinkTarget("removed", "v1"), folders.link("removed"));
    // `follow` takes the link between the two readings of it.
    const resolve = async () => {
      await rm(folders.link("removed"));
      return null;
    };
    const racing = { ...folders, resolve };
    expect(await findLocalCopy(racing, "removed")).toEqual({ kind: "none" });
    await mkdir(folders.link("copied"));
    await writeFile(join(folders.link("copied"), "plugin.json"), "{}");
    const kinds = ["removed", "copied"].map(async (key) => {
      const copy = await findLocalCopy(folders, key);
      return [copy.kind, isRemovedCopy(copy)];
    });
    expect(await Promise.all(kinds)).toEqual([
      ["none", true],
      ["manual", false],
    ]);
    expect(isRemovedCopy({ kind: "version", build: "b1" })).toBe(true);
    expect(isRemovedCopy({ kind: "version", build: null })).toBe(false);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});

test.each([
  "gone",
  "..",
  ".versions/linked/v1",
])("A link to %p, which is no version, is not taken for a removed plugin, so that its fault is shown", async (target) => {
  const dataDir = await mkdtemp(join(tmpdir(), "hub-copies-"));
  try {
    const folders = toPluginFolders(dataDir);
    await mkdir(join(folders.versionsOf("linked"), "v1"), { recursive: true });
    await symlink(target, folders.link("linked"));
    const copy = await findLocalCopy(folders, "linked");
    expect([copy, isRemovedCopy(copy)]).toEqual([{ kind: "version", build: null }, false]);
  } finally {
    await rm(dataDir, { recursive: true });
  }
});
