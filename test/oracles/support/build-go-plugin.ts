import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import type { BuiltFixture } from "@hub/server/plugins/testing/build-fixture.ts";

const source = resolve(import.meta.dirname, "../plugin-go");

/** Builds the Go plugin of test/oracles/plugin-go, or returns the reason why this machine cannot. */
export function buildGoPlugin(): BuiltFixture | { reason: string } {
  if (Bun.which("go") === null) return { reason: "there is no Go here" };
  const modules = Bun.spawnSync(["go", "mod", "download"], { cwd: source });
  if (modules.exitCode !== 0) {
    return { reason: `its modules cannot be had: ${modules.stderr.toString().split("\n")[0]}` };
  }
  const dir = mkdtempSync(join(tmpdir(), "hub-gopher-"));
  const binaryPath = join(dir, "gopher");
  const build = Bun.spawnSync(["go", "build", "-o", binaryPath, "."], { cwd: source });
  if (build.exitCode !== 0) throw new Error(`go build failed: ${build.stderr.toString()}`);
  return {
    binaryPath,
    manifest: JSON.parse(readFileSync(join(source, "module.json"), "utf8")),
    remove: () => rmSync(dir, { recursive: true, force: true }),
  };
}
