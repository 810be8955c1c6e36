import { existsSync } from "node:fs";
import { join, relative, resolve } from "node:path";
import { pluginKeyPattern } from "@hub/contract/plugin-manifest.ts";
import { z } from "zod";
import { toUsageError } from "../../errors/usage-error.ts";
import type { ProgramNames } from "../plugin-templates.ts";

/** A plugin's source folder. */
export type PluginSource = {
  folder: string;
  version: string;
  /** The hub versions in `engines`, for the thin form; null without them. */
  hubRange: string | null;
  /** The file that calls `serve`, as a path below the folder. */
  main: string;
};

const packageSchema = z.object({
  version: z.string().regex(/^\d+\.\d+\.\d+(?:-[0-9A-Za-z.-]+)?$/),
  main: z.string().default("src/main.ts"),
  engines: z.looseObject({ hub: z.string().optional() }).optional(),
});

/** Finds the plugin's folder: `KEY`, `plugins/KEY`, or the current folder. */
export async function findPluginSource(
  cwd: string,
  key: string,
  { wick }: Pick<ProgramNames, "wick">,
): Promise<PluginSource> {
  if (!pluginKeyPattern.test(key)) {
    throw toUsageError(`"${key}" is not a valid key. Use a-z, 0-9 and _, at most 64 characters.`);
  }
  const folders = [join(cwd, key), join(cwd, "plugins", key), resolve(cwd)];
  const folder = folders.find((path) => existsSync(join(path, "package.json")));
  if (folder === undefined) {
    throw new Error(
      `There is no plugin ${key} here: neither ${relative(cwd, join(cwd, key))} nor plugins/${key} has a package.json. Run \`${wick} plugin init ${key}\` to create one.`,
    );
  }
  const parsed = packageSchema.safeParse(await Bun.file(join(folder, "package.json")).json());
  if (!parsed.success) {
    throw new Error(
      `${join(folder, "package.json")} needs a version such as "1.0.0", which becomes the plugin's version.`,
    );
  }
  const { version, main, engines } = parsed.data;
  if (!existsSync(join(folder, main))) {
    throw new Error(
      `${folder} has no ${main}. Set "main" in package.json to the file that calls serve().`,
    );
  }
  return { folder, version, main, hubRange: engines?.hub ?? null };
}
