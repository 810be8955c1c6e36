import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import { hashFile } from "../verify/check-hash.ts";
import { findHostPlatform } from "../verify/check-platform.ts";
import type { BuiltFixture } from "./build-fixture.ts";

/** Writes a built fixture as a plugin folder; the same folder can be reused for another version. */
export async function writeFixtureFolder(
  { binaryPath, manifest: module }: BuiltFixture,
  folder: string,
  version = "1.0.0",
): Promise<string> {
  const program = join(folder, "fixture");
  const isNew = (await mkdir(folder, { recursive: true })) !== undefined;
  if (isNew) await copyFile(binaryPath, program);
  const manifest: PluginManifest = {
    schema_version: 1,
    kind: "connector",
    version,
    proto_version: 2,
    entry: "fixture",
    os_arch: [findHostPlatform()],
    sha256: await hashFile(program),
    // Safe: the program printed it. The schema has its own tests.
    module: module as PluginManifest["module"],
  };
  await writeFile(join(folder, "plugin.json"), JSON.stringify(manifest));
  return folder;
}
