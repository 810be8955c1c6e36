/**
 * Makes what many test files use. `npm test` runs this first, because its processes would all make the same at the
 * same time.
 */
import { join } from "node:path";
import { findBundledProgram } from "../../packages/cli/src/bundle/find-bundled-program.ts";
import { installTracing } from "../../scripts/install-tracing.ts";
import { buildOnce } from "./build-once.ts";
import { bundleMain } from "./bundle-main.ts";
import { compilePrograms } from "./compile-programs.ts";

try {
  installTracing();
} catch (thrown) {
  console.error(`${Object(thrown).message}\nThe tests of traces are skipped.`);
}
findBundledProgram("hub-main");
bundleMain(join(import.meta.dirname, "fixture-hub.ts"));
await Promise.all([
  compilePrograms(),
  buildOnce("tracker"),
  ...["codehost", "logs"].map((key) => buildOnce(key, "thin")),
]);
