import { copyFile, mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { hashFile } from "@hub/server/plugins/verify/check-hash.ts";
import { findHostPlatform } from "@hub/server/plugins/verify/check-platform.ts";
import { buildGoPlugin } from "./build-go-plugin.ts";

export type Version1Build = {
  /** The program, which is also a host of version 1: `host FOLDER OPERATION ARGS CREDS`. */
  program: string;
  /** Writes a folder that `hub plugin install` accepts, with the given version. */
  writeFolder(folder: string, version?: string): Promise<string>;
  remove(): void;
};

const moduleFile = join(import.meta.dirname, "../plugin-go/classic.json");

/** Builds the plugin of test/oracles/plugin-go, or returns the reason why this machine cannot. */
export function buildVersion1Plugin(): Version1Build | { reason: string } {
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
        // Many manifests of version 1 have no `kind`.
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
