import { join } from "node:path";

/** Set when a checkout's programs are bundled: the bundle lies elsewhere than its sources. */
declare const HUB_CHECKOUT: string | undefined;

/** The folder of this package, with its package.json. */
export const packageFolder =
  typeof HUB_CHECKOUT === "undefined"
    ? join(import.meta.dirname, "..", "..")
    : join(HUB_CHECKOUT, "packages", "server");
