import { lstat } from "node:fs/promises";
import { toBytesText } from "@hub/connector";
import {
  isThin,
  type PluginManifest,
  thinPlatform,
  toEntryName,
} from "@hub/contract/plugin-manifest.ts";
import { refusePlugin } from "./refuse-plugin.ts";

/** The hub reads the whole file at each start. Bundles of connectors have half a mebibyte. */
const bundleBytesMax = 8 * 1024 * 1024;

/**
 * Checks the rules that only thin plugins have, and that this hub is one of those that they are for.
 * `hubVersion` null accepts every range.
 */
export function checkThin(hubVersion: string | null, manifest: PluginManifest): void {
  const { hub } = manifest;
  if (!isThin(manifest)) return;
  const fault = findFault(manifest);
  if (fault !== null) throw refuseThin(manifest, fault);
  if (hub === undefined) {
    throw refuseThin(manifest, { expected: "the range of hub versions in `hub`", found: "none" });
  }
  if (hubVersion !== null && !suitsHub(hub, hubVersion)) throw refuseHub(manifest, hub, hubVersion);
}

/** Whether a range of versions contains this hub's. */
export function suitsHub(range: string, hubVersion: string): boolean {
  return Bun.semver.satisfies(hubVersion, range);
}

/** Checks the size of a thin plugin's bundle before it is read. */
export async function checkThinSize(manifest: PluginManifest, path: string): Promise<void> {
  if (!isThin(manifest)) return;
  const { size } = await lstat(path);
  if (size <= bundleBytesMax) return;
  const expected = `a bundle of at most ${toBytesText(bundleBytesMax)}`;
  throw refuseThin(manifest, { expected, found: `${size} bytes` }, "program");
}

type Fault = { expected: string; found: string };

function findFault(manifest: PluginManifest): Fault | null {
  const { os_arch: platforms, proto_version: protocol } = manifest;
  const entry = toEntryName(manifest);
  if (platforms.length > 1) {
    return { expected: `only the platform ${thinPlatform}`, found: platforms.join(", ") };
  }
  if (protocol === 1) return { expected: "protocol version 2", found: "1" };
  // Bun chooses by the name how it reads the file.
  if (!entry.endsWith(".js")) return { expected: "an `entry` that ends in .js", found: entry };
  return null;
}

function refuseThin(
  { module }: PluginManifest,
  { expected, found }: Fault,
  check: "manifest" | "program" = "manifest",
) {
  return refusePlugin({
    plugin: module.Meta.Key,
    check,
    expected: `${expected}, as in every thin plugin`,
    found,
    remedy: "Ask its author to build it with `wick plugin build --thin`.",
  });
}

function refuseHub({ module }: PluginManifest, range: string, hubVersion: string) {
  const key = module.Meta.Key;
  return refusePlugin({
    plugin: key,
    check: "hub",
    expected: `a hub of version ${range}, which this thin plugin is for`,
    found: `version ${hubVersion}`,
    remedy: `Install another version of the plugin or its standalone form: \`hub plugin install ${key}\` takes the one of the catalog that fits.`,
  });
}
