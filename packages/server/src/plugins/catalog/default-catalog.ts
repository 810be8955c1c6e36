import { existsSync } from "node:fs";
import { join } from "node:path";
import { packageFolder } from "../../lib/files/package-folder.ts";
import { hasEmbedded } from "../../lib/files/packed-files.ts";
import { embeddedCatalog, embeddedKind } from "./embedded-catalog.ts";

/** Set by a bundler (`--define HUB_PLUGIN_CATALOG_DEFAULT="…"`) when the program is built. */
declare const HUB_PLUGIN_CATALOG_DEFAULT: string | undefined;

/**
 * The default catalog: the one set when the program was built, the one in the program, or, in a checkout, the
 * one that `npm run plugins` creates.
 */
export function findDefaultCatalog(root = join(packageFolder, "..", "..")): string | null {
  if (typeof HUB_PLUGIN_CATALOG_DEFAULT !== "undefined") return HUB_PLUGIN_CATALOG_DEFAULT;
  if (hasEmbedded(embeddedKind)) return embeddedCatalog;
  return existsSync(join(root, "scripts", "build-plugins.ts"))
    ? join(root, ".plugins", "plugins.json")
    : null;
}
