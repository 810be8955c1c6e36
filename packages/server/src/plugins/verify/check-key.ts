import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import { refusePlugin } from "./refuse-plugin.ts";

/** The key is the folder's name, and never that of a connector that is compiled in. */
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
      expected: `the key "${folder}", as the folder is called`,
      found: `"${key}" in plugin.json`,
      remedy: "Install the archive again with `hub plugin install`, which names the folder.",
    });
  }
  // Names the attack: a plugin called `http` would be given the credentials of all its rows.
  if (reservedKeys.has(key)) {
    throw refusePlugin({
      plugin: key,
      check: "key",
      expected: "a key of its own",
      found: `"${key}", which is a connector compiled into the hub`,
      remedy: "Its author must give it another key.",
    });
  }
  if (key === "connectors" && manifest.proto_version === 1) {
    throw refusePlugin({
      plugin: key,
      check: "key",
      expected: "a key of its own",
      found: `"${key}", the name of the folder that holds all connectors of version 1, where its data would be lost`,
      remedy: "Its author must give it another key.",
    });
  }
}
