import { copyFile, mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * Writes the types of `runHub`, which need only those of `@hub/connector`. Throws if they need others: the server's sources are
 * no types for projects with other settings.
 */
export async function writeRunHubTypes(root: string, out: string): Promise<void> {
  const draft = await mkdtemp(join(tmpdir(), "hub-types-"));
  try {
    const packages = join(root, "packages");
    const project = join(root, "node_modules", ".cache", `hub-types-${process.pid}.json`);
    const compilerOptions = {
      noEmit: false,
      declaration: true,
      emitDeclarationOnly: true,
      stripInternal: true,
      rootDir: packages,
      outDir: draft,
      typeRoots: [join(root, "node_modules", "@types")],
    };
    const files = [join(packages, "cli", "src", "run-hub.ts")];
    const include = [join(packages, "*", "src", "**", "*.d.ts")];
    const extended = join(root, "tsconfig.json");
    await Bun.write(
      project,
      JSON.stringify({
        extends: extended,
        compilerOptions,
        files,
        include,
        exclude: [join(packages, "web")],
      }),
    );
    const child = Bun.spawnSync([join(root, "node_modules", ".bin", "tsc"), "-p", project]);
    await rm(project);
    if (!child.success) throw new Error(`The types cannot be written: ${child.stdout}`);
    const types = join(draft, "cli", "src", "run-hub.d.ts");
    const others = [...(await Bun.file(types).text()).matchAll(/^(?:im|ex)port .*from "([^"]+)"/gm)]
      .map(([, path]) => path)
      .filter((path) => path !== "@hub/connector");
    if (others.length > 0) throw new Error(`The types of runHub need ${others.join(", ")}.`);
    await mkdir(out, { recursive: true });
    await copyFile(types, join(out, "run-hub.d.ts"));
  } finally {
    await rm(draft, { recursive: true, force: true });
  }
}
