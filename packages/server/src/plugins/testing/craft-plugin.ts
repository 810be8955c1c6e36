import { createHash, type KeyObject } from "node:crypto";
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { type PluginManifest, signManifest } from "@hub/contract/plugin-manifest.ts";
import type { ZipMember } from "./craft-zip.ts";
import { testPlatform } from "./open-test-plugin-host.ts";

export type CraftedPlugin = { manifest: PluginManifest; program: string };

type Choices = {
  key?: string;
  program?: string;
  /** Signs the result. */
  signKey?: KeyObject;
  manifest?: Partial<PluginManifest>;
};

/** A valid plugin whose program is a text that is never run. */
export function craftPlugin(choices: Choices = {}): CraftedPlugin {
  const { key = "tracker", program = `program of ${key}`, signKey } = choices;
  const manifest: PluginManifest = {
    schema_version: 1,
    kind: "connector",
    version: "1.0.0",
    proto_version: 2,
    entry: key,
    os_arch: [testPlatform],
    sha256: createHash("sha256").update(program).digest("hex"),
    signature: "",
    module: {
      Meta: { Key: key, Name: "Tracker", Description: "A tracker.", Icon: "bug" },
      Configs: [],
      Operations: [],
      OAuth: null,
    },
    ...choices.manifest,
  };
  if (signKey !== undefined) manifest.signature = signManifest(manifest, signKey);
  return { manifest, program };
}

/** The members of the plugin's archive. */
export function toMembers({ manifest, program }: CraftedPlugin): ZipMember[] {
  return [
    { name: "plugin.json", content: JSON.stringify(manifest) },
    { name: manifest.entry || manifest.module.Meta.Key, content: program, mode: 0o100755 },
  ];
}

export async function writePluginFolder(folder: string, plugin: CraftedPlugin): Promise<string> {
  await mkdir(folder, { recursive: true });
  for (const { name, content } of toMembers(plugin)) await writeFile(join(folder, name), content);
  return folder;
}
