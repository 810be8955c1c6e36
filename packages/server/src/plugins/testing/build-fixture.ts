import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { PluginForm } from "@hub/contract/plugin.ts";
import { toBundleCommand } from "../../lib/process/self-command.ts";

export type BuiltFixture = {
  binaryPath: string;
  form?: PluginForm;
  manifest: unknown;
  remove(): void;
};

/**
 * Builds a fixture of this folder and reads its manifest from the program. The program is a script for this machine's
 * Bun, because a compiled one has 100 MiB, which each installation reads and copies.
 */
export function buildFixture(
  source = "fixture-plugin.ts",
  form: PluginForm = "standalone",
): BuiltFixture {
  const dir = mkdtempSync(join(tmpdir(), "hub-fixture-"));
  const isThin = form === "thin";
  const binaryPath = join(dir, isThin ? "fixture.js" : "fixture");
  const main = join(import.meta.dirname, source);
  const code = run([process.execPath, "build", "--target=bun", main]);
  const program = isThin ? code : `#!${process.execPath}\n${code}`;
  writeFileSync(binaryPath, program, { mode: isThin ? 0o600 : 0o755 });
  const { command, args } = isThin
    ? toBundleCommand(binaryPath)
    : { command: binaryPath, args: [] };
  return {
    binaryPath,
    form,
    manifest: JSON.parse(run([command, ...args, "--dump-manifest"])),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function run(command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode === 0) return stdout.toString();
  throw new Error(`${command.join(" ")} failed: ${stderr.toString()}`);
}
