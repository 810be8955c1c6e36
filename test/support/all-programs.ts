/**
 * The programs that tests start often, in one executable. The name of the executable says which one it is:
 * see `compile-programs.ts`.
 */
import { basename } from "node:path";
import process from "node:process";
import { launcherCommand } from "@hub/server/lib/process/part-commands.ts";

const programs: Record<string, () => Promise<unknown>> = {
  hub: () => import("../../packages/cli/src/hub-main.ts"),
  "fixture-hub": () => import("./fixture-hub.ts"),
  "form-hub": () => import("./form-hub.ts"),
  "hostile-hub": () => import("./hostile-hub.ts"),
  "hostile-texts-hub": () => import("./hostile-texts-hub.ts"),
  "plugins-hub": () => import("./plugins-hub.ts"),
  "command-runner": () => import("./command-runner.ts"),
};

// A program starts itself so for each program of others. `hub` loads nothing else then either.
if (process.argv[2] === launcherCommand) {
  await import("@hub/server/plugins/fence/program-launcher.ts");
} else {
  if (process.env.TEST_HASHES === "cheap") await import("./cheap-hashes.ts");
  await programs[basename(process.execPath)]?.();
}
