import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { defaultInstallLimits } from "@hub/server/plugins/install/install-limits.ts";
import { unpackArchive } from "@hub/server/plugins/install/unpack-archive.ts";
import { takeBuiltPlugin } from "./build-once.ts";
import { buildScriptPlugin } from "./build-script-plugin.ts";
import { type CliResult, runCli } from "./run-cli.ts";

const wickMain = resolve(import.meta.dirname, "../../packages/cli/src/wick.ts");

/** A folder in which an author creates plugins with the command line. */
export type AuthorFolder = AsyncDisposable & {
  path: string;
  /** Runs `wick plugin …` in the folder. Throws if the command fails. */
  wick(...args: string[]): Promise<CliResult>;
  /** Builds a plugin of this folder, and returns the path of its archive. */
  build(key: string, ...args: string[]): Promise<string>;
  /** Creates the plugin `tracker` with its archive in `dist`, which is built once for all tests. */
  makeTracker(): Promise<string>;
  /** Builds a plugin of this folder as a script, and returns the path of its archive. */
  buildScript(key: string, out?: string): Promise<string>;
  /** Unpacks an archive to a new folder. */
  unpack(archive: string, name: string): Promise<string>;
};

export async function openAuthorFolder(more: Record<string, string> = {}): Promise<AuthorFolder> {
  const path = await mkdtemp(join(tmpdir(), "hub-author-"));
  // The home folder contains the cached runtimes.
  const env = { HOME: process.env.HOME ?? "", ...more };
  const wick: AuthorFolder["wick"] = async (...args) => {
    const result = await runCli({ main: wickMain, dataDir: path, env }, ["plugin", ...args]);
    if (result.exitCode !== 0) throw new Error(`wick plugin ${args.join(" ")}: ${result.stderr}`);
    return result;
  };
  return {
    path,
    wick,
    async build(key, ...args) {
      const built = await wick("build", key, "--no-compress", "--json", ...args);
      const [archive] = built.json<Array<{ path: string }>>();
      return join(path, archive?.path ?? "");
    },
    buildScript: (key, out = "dist") =>
      buildScriptPlugin({ folder: join(path, key), key, out: join(path, out) }),
    async makeTracker() {
      await wick("init", "tracker");
      return (await takeBuiltPlugin("tracker", join(path, "dist"))).archive;
    },
    unpack: (archive, name) =>
      unpackArchive(defaultInstallLimits, {
        plugin: name,
        path: archive,
        target: join(path, name),
      }),
    [Symbol.asyncDispose]: () => rm(path, { recursive: true, force: true }),
  };
}
