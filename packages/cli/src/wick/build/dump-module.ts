import { type PluginModule, pluginModuleSchema } from "@hub/contract/plugin-manifest.ts";
import type { SelfCommand } from "@hub/server/lib/process/self-command.ts";

/** Reads the module from the program itself, so that the manifest matches the program. */
export async function dumpModule({ command, args, env }: SelfCommand): Promise<PluginModule> {
  const dump = Bun.spawn({
    cmd: [command, ...args, "--dump-manifest"],
    env: { ...process.env, ...env },
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  const [stdout, stderr, exitCode] = await Promise.all([
    new Response(dump.stdout).text(),
    new Response(dump.stderr).text(),
    dump.exited,
  ]);
  if (exitCode !== 0) {
    throw new Error(
      `The program's --dump-manifest failed (${exitCode}): ${stderr.trim().slice(-2000)}`,
    );
  }
  try {
    return pluginModuleSchema.parse(JSON.parse(stdout));
  } catch (cause) {
    throw new Error(
      "The program's --dump-manifest did not print a manifest. The main file must call `await serve(connector)` and must not print anything itself.",
      { cause },
    );
  }
}
