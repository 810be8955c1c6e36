import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { buildGoPlugin } from "../../packages/server/src/plugins/testing/build-go-plugin.ts";
import { hashFile } from "../../packages/server/src/plugins/verify/check-hash.ts";
import { findHostPlatform } from "../../packages/server/src/plugins/verify/check-platform.ts";

export type ClassicBuild = {
  /** The program, which is a host of version 1 as well: `host FOLDER OPERATION ARGS CREDS`. */
  program: string;
  /** Writes a folder that `hub plugin install` takes; another one for each version. */
  writeFolder(folder: string, version?: string): Promise<string>;
  remove(): void;
};

const moduleFile = join(import.meta.dirname, "../plugin-go/classic.json");

/** The plugin of test/plugin-go as others write theirs, or why this machine cannot build it. */
export function buildClassic(): ClassicBuild | { reason: string } {
  const built = buildGoPlugin();
  if ("reason" in built) return built;
  return {
    program: built.binaryPath,
    remove: built.remove,
    async writeFolder(folder, version = "1.0.0") {
      await mkdir(folder, { recursive: true });
      const program = join(folder, "classic");
      await copyFile(built.binaryPath, program);
      const manifest = {
        schema_version: 1,
        // No `kind`: many leave it out.
        version,
        proto_version: 1,
        entry: "classic",
        os_arch: [findHostPlatform()],
        sha256: await hashFile(program),
        signature: "",
        module: await Bun.file(moduleFile).json(),
      };
      await writeFile(join(folder, "plugin.json"), JSON.stringify(manifest));
      return folder;
    },
  };
}
