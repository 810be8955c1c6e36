/**
 * The programs that tests start often, in one executable. The name of the executable says which one it is:
 * see `compile-programs.ts`.
 */
import { basename } from "node:path";
import process from "node:process";

const programs: Record<string, () => Promise<unknown>> = {
  hub: () => import("../../packages/cli/src/hub-main.ts"),
  "fixture-hub": () => import("./fixture-hub.ts"),
  "form-hub": () => import("./form-hub.ts"),
  "hostile-hub": () => import("./hostile-hub.ts"),
  "hostile-texts-hub": () => import("./hostile-texts-hub.ts"),
  "plugins-hub": () => import("./plugins-hub.ts"),
};

await programs[basename(process.execPath)]?.();
