import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pluginKeyPattern } from "@hub/contract/plugin-manifest.ts";
import { z } from "zod";
import { toUsageError } from "../usage-error.ts";

/** A plugin's own folder. */
export type PluginSource = {
  folder: string;
  version: string;
  /** The file that calls `serve`, as a path below the folder. */
  main: string;
};

const packageSchema = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/),
  main: z.string().default("src/main.ts"),
});

/** Finds the plugin by its key: a folder of that name here or in `plugins`, or this one. */
export async function findPluginSource(cwd: string, key: string): Promise<PluginSource> {
  if (!pluginKeyPattern.test(key)) {
    throw toUsageError(`"${key}" cannot be a key: use a-z, 0-9 and _, at most 64.`);
  }
  const places = [join(cwd, key), join(cwd, "plugins", key), resolve(cwd)];
  const folder = places.find((place) => existsSync(join(place, "package.json")));
  if (folder === undefined) {
    throw new Error(
      `There is no plugin ${key} here: neither ${relative(cwd, join(cwd, key))} nor plugins/${key} holds a package.json. \`wick plugin init ${key}\` makes one.`,
    );
  }
  const parsed = packageSchema.safeParse(await Bun.file(join(folder, "package.json")).json());
  if (!parsed.success) {
    throw new Error(
      `${join(folder, "package.json")} needs a version such as "1.0.0"; it becomes the plugin's.`,
    );
  }
  const { version, main } = parsed.data;
  if (!existsSync(join(folder, main))) {
    throw new Error(
      `${folder} has no ${main}. Name the file that calls serve() as "main" in package.json.`,
    );
  }
  return { folder, version, main };
}
