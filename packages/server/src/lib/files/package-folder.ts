import { join } from "node:path";

/** Set by the bundler of a checkout's programs, because the bundle is not in the source folder. */
declare const HUB_CHECKOUT: string | undefined;

/** The folder of this package, with its package.json. */
export const packageFolder =
  typeof HUB_CHECKOUT === "undefined"
    ? join(import.meta.dirname, "..", "..", "..")
    : join(HUB_CHECKOUT, "packages", "server");
