import type { PluginManifest } from "@hub/contract/plugin-manifest.ts";
import { refusePlugin } from "./refuse-plugin.ts";

/** Application versions of the plugin protocol that the hub supports. */
const protocolVersions: readonly number[] = [1, 2];

export function checkProtocol(manifest: PluginManifest): void {
  if (protocolVersions.includes(manifest.proto_version)) return;
  throw refusePlugin({
    plugin: manifest.module.Meta.Key,
    check: "protocol",
    expected: `protocol version ${protocolVersions.join(" or ")}`,
    found: String(manifest.proto_version),
    remedy: "Update the hub, or install a build of the plugin for this version.",
  });
}
