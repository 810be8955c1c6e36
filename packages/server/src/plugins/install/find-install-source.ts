import { stat } from "node:fs/promises";
import { resolve } from "node:path";
import { pluginKeyPattern } from "@hub/contract/plugin-manifest.ts";
import { HubError } from "../../errors.ts";
import { refusePlugin } from "../verify/refuse-plugin.ts";

/** An archive that is received from another machine. */
export type UploadedArchive = {
  /** The name of its file, for messages. */
  name: string;
  chunks: AsyncIterable<Uint8Array>;
};

/** Where a plugin is installed from. */
export type PluginSource =
  | ({ kind: "upload" } & UploadedArchive)
  | { kind: "catalog"; key: string }
  | { kind: "address"; url: URL }
  | { kind: "folder"; path: string }
  | { kind: "archive"; path: string };

/** Parses a typed source: a name in the catalog, a URL, a folder or a file. */
export async function findSource(text: string, cwd: string): Promise<PluginSource> {
  if (pluginKeyPattern.test(text)) return { kind: "catalog", key: text };
  if (/^https?:\/\//i.test(text)) {
    if (URL.canParse(text)) return { kind: "address", url: new URL(text) };
    throw new HubError("bad_request", `"${text}" is not a valid URL.`);
  }
  if (/^[a-z][a-z0-9+.-]+:\/\//i.test(text)) throw refuseScheme(text);
  const path = resolve(cwd, text);
  const stats = await stat(path).catch(() => null);
  if (stats === null) {
    throw new HubError(
      "not_found",
      "This file or folder does not exist. Give a name from the catalog, a folder, a .zip or .tar.gz file, or an https URL.",
      {
        localMessage: `${path} does not exist. Give a name from the catalog, a folder, a .zip or .tar.gz file, or an https URL.`,
      },
    );
  }
  return { kind: stats.isDirectory() ? "folder" : "archive", path };
}

function refuseScheme(text: string) {
  return refusePlugin({
    plugin: text,
    check: "source",
    expected: "an https URL, or a path without a scheme",
    found: `${text.slice(0, text.indexOf(":"))}:`,
    remedy: "Give the path of a file or folder without a scheme.",
  });
}
