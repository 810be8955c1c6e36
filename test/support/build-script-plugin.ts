import { mkdir, mkdtemp, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { craftPlugin, toMembers } from "@hub/server/plugins/testing/craft-plugin.ts";
import { craftZip } from "@hub/server/plugins/testing/craft-zip.ts";
import { findHostPlatform } from "@hub/server/plugins/verify/check-platform.ts";
import { dumpModule } from "../../packages/cli/src/wick/build/dump-module.ts";

type Build = {
  /** The folder of the plugin's sources. */
  folder: string;
  key: string;
  /** The folder for the archive. */
  out: string;
};

/**
 * Builds a plugin whose program is a script for this machine's Bun. Its archive is 100 MiB smaller
 * than one of `wick plugin build`, for tests that install plugins many times. Returns its path.
 */
export async function buildScriptPlugin({ folder, key, out }: Build): Promise<string> {
  const scripts = await mkdtemp(join(folder, "script-"));
  const script = join(scripts, `${key}.js`);
  const build = ["build", "--target=bun", join(folder, "src/main.ts"), `--outfile=${script}`];
  const { exitCode, stderr } = Bun.spawnSync([process.execPath, ...build], { cwd: folder });
  if (exitCode !== 0) throw new Error(`${key} cannot be built: ${stderr}`);
  const program = `#!/bin/sh\nexec "${process.execPath}" "${script}" "$@"\n`;
  const file = join(scripts, key);
  await writeFile(file, program, { mode: 0o755 });
  const { version } = await Bun.file(join(folder, "package.json")).json();
  const platform = findHostPlatform();
  const module = await dumpModule({ command: file, args: [], env: {} });
  const plugin = craftPlugin({ key, program, manifest: { version, os_arch: [platform], module } });
  await mkdir(out, { recursive: true });
  const archive = join(out, `${key}-${version}-${platform.replace("/", "-")}.zip`);
  await writeFile(archive, craftZip(toMembers(plugin)));
  return archive;
}
