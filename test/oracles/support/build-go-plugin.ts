import { existsSync, readdirSync, readFileSync, renameSync, rmSync } from "node:fs";
import { join, resolve } from "node:path";
import process from "node:process";
import type { BuiltFixture } from "@hub/server/plugins/testing/build-fixture.ts";

const source = resolve(import.meta.dirname, "../plugin-go");
const cache = resolve(import.meta.dirname, "../../../node_modules/.cache/hub/go-plugin");

/**
 * Builds the Go plugin of test/oracles/plugin-go, or returns the reason why this machine cannot. It is built once for all
 * files that use it, until a source, a module or the compiler changes.
 */
export function buildGoPlugin(): BuiltFixture | { reason: string } {
  if (Bun.which("go") === null) return { reason: "there is no Go here" };
  const place = join(cache, fingerprint());
  const binaryPath = join(place, "gopher");
  if (!existsSync(binaryPath)) {
    const modules = Bun.spawnSync(["go", "mod", "download"], { cwd: source });
    if (modules.exitCode !== 0) {
      return { reason: `its modules cannot be had: ${modules.stderr.toString().split("\n")[0]}` };
    }
    build(place);
  }
  return {
    binaryPath,
    manifest: JSON.parse(readFileSync(join(source, "module.json"), "utf8")),
    // The other files use it, too.
    remove: () => {},
  };
}

function build(place: string): void {
  const draft = join(cache, `.draft-${process.pid}`);
  const { exitCode, stderr } = Bun.spawnSync([join(source, "build"), join(draft, "gopher")]);
  if (exitCode !== 0) throw new Error(`go build failed: ${stderr.toString()}`);
  for (const each of readdirSync(cache).filter((name) => !name.startsWith(".draft-")))
    rmSync(join(cache, each), { recursive: true, force: true });
  try {
    renameSync(draft, place);
  } catch (thrown) {
    // Another process may have been faster.
    rmSync(draft, { recursive: true, force: true });
    if (!existsSync(join(place, "gopher"))) throw thrown;
  }
}

/** Of everything that the program depends on: go.sum has the modules. */
function fingerprint(): string {
  const hasher = new Bun.CryptoHasher("sha256");
  const { stdout } = Bun.spawnSync(["go", "env", "GOVERSION", "GOOS", "GOARCH", "GOFLAGS"], {
    cwd: source,
  });
  hasher.update(stdout);
  for (const name of readdirSync(source).toSorted()) {
    hasher.update(`${name}\0`).update(readFileSync(join(source, name)));
  }
  return hasher.digest("hex").slice(0, 16);
}
