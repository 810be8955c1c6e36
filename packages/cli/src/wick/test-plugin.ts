import { toBunCommand } from "@hub/server/lib/process/self-command.ts";
import { findPluginSource } from "./build/find-plugin-source.ts";
import { provideConnector } from "./build/provide-connector.ts";
import type { ProgramNames } from "./plugin-templates.ts";

type TestRequest = { cwd: string; key: string; names: ProgramNames };

/** Runs a plugin's tests with Bun, which prints the results, and returns the exit code. */
export async function testPlugin({ cwd, key, names }: TestRequest): Promise<number> {
  const { folder } = await findPluginSource(cwd, key, names);
  await provideConnector(folder);
  const { command, args, env } = toBunCommand(["test"]);
  const child = Bun.spawn([command, ...args], {
    cwd: folder,
    env: { ...process.env, ...env },
    stdio: ["ignore", "inherit", "inherit"],
  });
  return await child.exited;
}
