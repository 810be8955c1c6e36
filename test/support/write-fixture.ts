import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";

/** The module of a plugin for tests, `<key>-plugin.ts` of this folder. */
export const toFixtureMain = (key: string): string => join(import.meta.dirname, `${key}-plugin.ts`);

/** Makes such a module a plugin in the folder `key` of `folder`, as an author has it. */
export async function writeFixture(folder: string, key: string): Promise<void> {
  const main = JSON.stringify(toFixtureMain(key));
  await mkdir(join(folder, key, "src"), { recursive: true });
  await writeFile(join(folder, key, "src/main.ts"), `import ${main};\n`);
  await writeFile(join(folder, key, "package.json"), '{ "version": "1.0.0" }');
}
