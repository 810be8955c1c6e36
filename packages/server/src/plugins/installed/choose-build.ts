import type { CatalogEntry } from "@hub/contract/plugin-catalog.ts";
import { thinPlatform } from "@hub/contract/plugin-manifest.ts";
import { suitsHub } from "../verify/check-thin.ts";
import type { VerifyDeps } from "../verify/verify-plugin.ts";

export type ThisHub = Pick<VerifyDeps, "hostPlatform" | "hubVersion">;

/**
 * The platform of the archive that this hub installs by name: the thin one if it is for this hub, because
 * it is a hundred times smaller. Otherwise the program for this machine. Null if there is neither.
 */
export function chooseBuild(
  { hostPlatform, hubVersion }: ThisHub,
  { assets, hub }: Pick<CatalogEntry, "assets" | "hub">,
): string | null {
  const hasThin = Object.hasOwn(assets, thinPlatform) && hub !== undefined;
  if (hasThin && (hubVersion === null || suitsHub(hub, hubVersion))) return thinPlatform;
  return Object.hasOwn(assets, hostPlatform) ? hostPlatform : null;
}

/** The platforms of a catalog's archives, with the hubs that a thin one is for. */
export function describeBuilds({ assets, hub }: Pick<CatalogEntry, "assets" | "hub">): string {
  const names = Object.keys(assets).sort();
  const described = names.map((name) =>
    name === thinPlatform && hub !== undefined ? `thin for hub ${hub}` : name,
  );
  return described.join(", ") || "none";
}
