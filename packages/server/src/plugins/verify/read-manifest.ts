import { constants } from "node:fs";
import { type FileHandle, open } from "node:fs/promises";
import { join } from "node:path";
import { type PluginManifest, pluginManifestSchema } from "@hub/contract/plugin-manifest.ts";
import { findJsonExcess } from "../../lib/json/scan-json.ts";
import { describeManifestFault } from "./describe-manifest-fault.ts";
import { refusePlugin } from "./refuse-plugin.ts";

const manifestBytesMax = 1024 * 1024;
const depthMax = 100;
const valuesMax = 50_000;

/** Reads and parses `plugin.json` of a folder. */
export async function readManifest(plugin: string, dir: string): Promise<PluginManifest> {
  let text: string;
  try {
    text = await readText(join(dir, "plugin.json"));
  } catch (cause) {
    const found = cause instanceof ManifestFault ? cause.message : "no readable file";
    throw refuseManifest(plugin, found, cause);
  }
  return parseManifest(plugin, text);
}

/** Parses the text of `plugin.json`. */
export function parseManifest(plugin: string, text: string): PluginManifest {
  // Attack: a schema describes the faults of all items of a list, which takes seconds for 500,000 of them.
  if (findJsonExcess(text, { depthMax, valuesMax }) !== null) {
    const found = `text nested deeper than ${depthMax} levels, or with more than ${valuesMax} values`;
    throw refuseManifest(plugin, found, undefined);
  }
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch (cause) {
    throw refuseManifest(plugin, "text that is not valid JSON", cause);
  }
  const parsed = pluginManifestSchema.safeParse(value);
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw refuseManifest(plugin, describeManifestFault(value, issue?.path ?? []), parsed.error);
}

function refuseManifest(plugin: string, found: string, cause: unknown) {
  return refusePlugin({
    plugin,
    check: "manifest",
    expected: "a valid plugin.json",
    found,
    remedy:
      "Build the plugin again with `wick plugin build`, or ask its author for a complete archive.",
    cause,
  });
}

class ManifestFault extends Error {}

async function readText(path: string): Promise<string> {
  // Refuses links, which could name files outside the archive.
  const file = await open(path, constants.O_RDONLY | (constants.O_NOFOLLOW ?? 0));
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await readBytes(file));
  } finally {
    await file.close();
  }
}

async function readBytes(file: FileHandle): Promise<Uint8Array> {
  const stats = await file.stat();
  if (!stats.isFile()) throw new ManifestFault("a folder or special file");
  if (stats.size > manifestBytesMax) throw new ManifestFault(`a file of ${stats.size} bytes`);
  return await file.readFile();
}
