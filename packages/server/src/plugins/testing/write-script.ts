import { chmodSync, mkdtempSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { BuiltFixture } from "./build-fixture.ts";

/** A shell script that acts as a misbehaving plugin. */
export function writeScript(dir: string, lines: string): BuiltFixture {
  const folder = mkdtempSync(join(dir, "script-"));
  const binaryPath = join(folder, "script");
  writeFileSync(binaryPath, `#!/bin/sh\n${lines}\n`);
  chmodSync(binaryPath, 0o755);
  const module = {
    Meta: { Key: "script", Name: "Script", Description: "", Icon: "" },
    Operations: [{ Ops: [{ Key: "echo", Name: "Echo", Description: "", Input: null }] }],
  };
  return { binaryPath, manifest: module, remove() {} };
}
