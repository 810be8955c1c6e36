import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import { ownKeyPrefix } from "@hub/contract/reserved-keys.ts";
import { refusePlugin } from "./refuse-plugin.ts";

/** Checks that the key is the folder's name and not the key of a built-in connector. */
export function checkKey(
  reservedKeys: ReadonlySet<string>,
  manifest: PluginManifest,
  folder: string,
): void {
  const key = manifest.module.Meta.Key;
  if (key !== folder) {
    throw refusePlugin({
      plugin: folder,
      check: "key",
      expected: `the key "${folder}", which is the folder's name`,
      found: `"${key}" in plugin.json`,
      remedy:
        "Install the archive again with `hub plugin install`, which gives the folder its name.",
    });
  }
  // Attack: a plugin with the key `http` would get the credentials of all http rows.
  if (reservedKeys.has(key)) {
    throw refusePlugin({
      plugin: key,
      check: "key",
      expected: "another key",
      found: `"${key}", which is the key of a built-in connector`,
      remedy: `Ask its author to change the key. ${describeReserved(reservedKeys)}`,
    });
  }
  if (key === "connectors" && manifest.proto_version === 1) {
    throw refusePlugin({
      plugin: key,
      check: "key",
      expected: "another key",
      found: `"${key}", which is the name of the folder for all version-1 connectors, where its data would be lost`,
      remedy: "Ask its author to change the key.",
    });
  }
}

/**
 * Checks that the key of a plugin that was not installed before does not begin as those do that built-in connectors
 * have where a plugin has theirs.
 */
export function checkNewKey(reservedKeys: ReadonlySet<string>, key: string): void {
  if (!key.startsWith(ownKeyPrefix)) return;
  throw refusePlugin({
    plugin: key,
    check: "key",
    expected: `a key that does not begin with ${ownKeyPrefix}`,
    found: `"${key}"`,
    remedy: `Ask its author to change the key. ${describeReserved(reservedKeys)}`,
  });
}

function describeReserved(keys: ReadonlySet<string>): string {
  return `Reserved are ${[...keys].sort().join(", ")}, and all that begin with ${ownKeyPrefix}.`;
}
