import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type BuiltFixture = { binaryPath: string; manifest: unknown; remove(): void };

/**
 * Builds a fixture of this folder and reads its manifest from the program. The program is a script for this machine's
 * Bun, because a compiled one has 100 MiB, which each installation reads and copies.
 */
export function buildFixture(source = "fixture-plugin.ts"): BuiltFixture {
  const dir = mkdtempSync(join(tmpdir(), "hub-fixture-"));
  const binaryPath = join(dir, "fixture");
  const main = join(import.meta.dirname, source);
  const code = run([process.execPath, "build", "--target=bun", main]);
  writeFileSync(binaryPath, `#!${process.execPath}\n${code}`, { mode: 0o755 });
  return {
    binaryPath,
    manifest: JSON.parse(run([binaryPath, "--dump-manifest"])),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}

function run(command: string[]): string {
  const { exitCode, stdout, stderr } = Bun.spawnSync(command);
  if (exitCode === 0) return stdout.toString();
  throw new Error(`${command.join(" ")} failed: ${stderr.toString()}`);
}
