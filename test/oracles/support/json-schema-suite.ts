import { join } from "node:path";

/** The tests of the specification, draft 2020-12, that this Go module has; Go checks its hash. */
const suiteModule = "github.com/google/jsonschema-go@v0.3.0";

export type SchemaTests = {
  description: string;
  schema: unknown;
  tests: { description: string; data: unknown; valid: boolean }[];
};

/** The required tests by file, or the reason why this machine cannot get them. */
export async function readSchemaSuite(): Promise<Map<string, SchemaTests[]> | { reason: string }> {
  if (Bun.which("go") === null) return { reason: "there is no Go here" };
  const loaded = Bun.spawnSync(["go", "mod", "download", "-json", suiteModule]);
  if (loaded.exitCode !== 0) return { reason: "its Go module cannot be had" };
  const folder = join(JSON.parse(loaded.stdout.toString()).Dir, "jsonschema/testdata/draft2020-12");
  const files = [...new Bun.Glob("*.json").scanSync(folder)].sort();
  const read = async (file: string) =>
    [file, (await Bun.file(join(folder, file)).json()) as SchemaTests[]] as const;
  return new Map(await Promise.all(files.map(read)));
}
