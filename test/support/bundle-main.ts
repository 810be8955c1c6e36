import { basename, join, resolve } from "node:path";
import { findBundle } from "../../packages/cli/src/bundle/find-bundle.ts";
import { findWorker } from "../../packages/cli/src/bundle/find-program.ts";

const root = resolve(import.meta.dirname, "../..");
const bundled = new Map<string, string>();

/**
 * A program of `test/` as a bundle, made once a run, since it starts many times. Those of the
 * product start from bundles by themselves.
 */
export function bundleMain(main: string): string {
  if (!main.startsWith(join(root, "test"))) return main;
  const known = bundled.get(main);
  if (known !== undefined) return known;
  const name = basename(main, ".ts");
  const folders = ["test/support", "test/downstream"];
  const folder = findBundle({
    root,
    name: `test-${name}`,
    mains: [main, findWorker(root)],
    folders,
  });
  const path = folder === null ? main : join(folder, `${name}.js`);
  bundled.set(main, path);
  return path;
}
