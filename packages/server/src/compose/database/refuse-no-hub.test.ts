import { expect, test } from "bun:test";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { refuseNoHub } from "./refuse-no-hub.ts";

const refuse = (dataDir: string, url: string | null = null) =>
  refuseNoHub({ dataDir, readDatabaseUrl: () => url }, "hub");

test("A command refuses a folder without a database, and says how to name or make a hub", () => {
  const dataDir = mkdtempSync(join(tmpdir(), "hub-none-"));
  try {
    const missing = join(dataDir, "missing");
    for (const folder of [dataDir, missing]) {
      expect(() => refuse(folder)).toThrow(
        expect.objectContaining({
          code: "not_found",
          detail: { data_dir: folder },
          localMessage: expect.stringMatching(/--data-dir or HUB_DATA_DIR.*run: hub serve$/),
        }),
      );
    }
    refuse(missing, "postgres://db/hub");
    writeFileSync(join(dataDir, "hub.sqlite"), "");
    refuse(dataDir);
  } finally {
    rmSync(dataDir, { recursive: true });
  }
});
