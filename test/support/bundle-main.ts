import { basename, join, resolve } from "node:path";
import { findBundle } from "../../packages/cli/src/bundle/find-bundle.ts";
import { findWorkers } from "../../packages/cli/src/bundle/find-bundled-program.ts";

const root = resolve(import.meta.dirname, "../..");
const support = join(root, "test/support");
/** The programs that tests start often. They share one bundle, because most of it is the same. */
const mains = [
  ...["command-runner", "fixture-hub", "form-hub", "hostile-hub", "hostile-texts-hub"],
  "plugins-hub",
].map((name) => join(support, `${name}.ts`));
let bundle: string | null | undefined;

/**
 * A program of `test/support` as a bundle, made once a run, since it starts many times. Those of the
 * product start from bundles by themselves.
 */
export function bundleMain(main: string): string {
  if (!mains.includes(main)) return main;
  if (bundle === undefined) {
    const folders = ["test/support", "plugins/codehost/src", "plugins/logs/src"];
    bundle = findBundle({ root, name: "test", mains: [...mains, ...findWorkers(root)], folders });
  }
  return bundle === null ? main : join(bundle, `${basename(main, ".ts")}.js`);
}
