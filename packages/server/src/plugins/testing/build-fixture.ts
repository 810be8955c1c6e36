import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

export type BuiltFixture = { binaryPath: string; manifest: unknown; remove(): void };

/** Builds a fixture of this folder and reads its manifest from the program. */
export function buildFixture(source = "fixture-plugin.ts"): BuiltFixture {
  const dir = mkdtempSync(join(tmpdir(), "hub-fixture-"));
  const binaryPath = join(dir, "fixture");
  run([
    process.execPath,
    "build",
    "--compile",
    join(import.meta.dirname, source),
    "--outfile",
    binaryPath,
  ]);
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
