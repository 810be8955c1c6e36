import { type PluginManifest, thinPlatform } from "@hub/contract/plugin-manifest.ts";
import { refusePlugin } from "./refuse-plugin.ts";

/** Checks that the program is for this machine. */
export function checkPlatform(hostPlatform: string, manifest: PluginManifest): void {
  if (suitsPlatform(manifest.os_arch, hostPlatform)) return;
  throw refusePlugin({
    plugin: manifest.module.Meta.Key,
    check: "platform",
    expected: `a program for ${hostPlatform}`,
    found: `a program for ${manifest.os_arch.join(", ")}`,
    remedy: `Install the archive for ${hostPlatform}.`,
  });
}

/** Whether a build for these platforms runs on a machine. Thin ones run on all. */
export function suitsPlatform(platforms: readonly string[], hostPlatform: string): boolean {
  return platforms.includes(hostPlatform) || platforms.includes(thinPlatform);
}

/** This machine's platform in Go's terms, such as `linux/amd64`. */
export function findHostPlatform(
  platform: string = process.platform,
  arch: string = process.arch,
): string {
  const os = platform === "win32" ? "windows" : platform;
  return `${os}/${arch === "x64" ? "amd64" : arch}`;
}
