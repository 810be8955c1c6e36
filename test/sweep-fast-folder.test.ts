import { expect, test } from "bun:test";
import { existsSync, mkdirSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { createDataFolder } from "./support/data-folder.ts";
import { sweepFastFolder, toFolderName } from "./support/sweep-fast-folder.ts";

/** More than the largest PID of Linux. */
const unusedPid = 4_194_305;

test.skipIf(process.platform !== "linux")(
  "Folders of ended processes are removed, but not those of other PID namespaces until they are a day old",
  async () => {
    await using memory = await createDataFolder();
    const hasOwn = !toFolderName().includes("unknown");
    const folders = {
      running: toFolderName(),
      ended: toFolderName(unusedPid),
      elsewhere: toFolderName(unusedPid, "1"),
      "long ago elsewhere": toFolderName(unusedPid + 1, "1"),
      "of another program": "other-1-1",
    };
    const longAgo = Date.now() / 1000 - 25 * 60 * 60;
    for (const [what, name] of Object.entries(folders)) {
      mkdirSync(join(memory.path, name));
      writeFileSync(join(memory.path, name, "file"), "");
      if (what.startsWith("long ago")) utimesSync(join(memory.path, name), longAgo, longAgo);
    }
    sweepFastFolder(memory.path);
    const left = Object.entries(folders)
      .filter(([, name]) => existsSync(join(memory.path, name)))
      .map(([what]) => what);
    // Where the namespace cannot be found, only the age counts.
    const ended = hasOwn ? [] : ["ended"];
    expect(left).toEqual(["running", ...ended, "elsewhere", "of another program"]);
  },
);
