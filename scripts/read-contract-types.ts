import { basename, join, resolve } from "node:path";
import { Glob } from "bun";
import { z } from "zod";

const folder = join(resolve(import.meta.dirname, ".."), "packages/contract/src");

/** The type of a schema that the contract exports, and its file. */
export type ContractType = { name: string; file: string };

/** The contract's types of schemas that have an id, by this id. */
export async function readContractTypes(): Promise<Map<string, ContractType>> {
  const types = new Map<string, ContractType>();
  for (const path of [...new Glob("*.ts").scanSync({ cwd: folder, absolute: true })].sort()) {
    const file = basename(path);
    if (file === "api.ts" || file.endsWith(".test.ts")) continue;
    const text = await Bun.file(path).text();
    const inferred = text.matchAll(/^export type (\w+) = z\.infer<typeof (\w+)>;$/gm);
    const names = new Map([...inferred].map(([, name = "", schema = ""]) => [schema, name]));
    const exported: Record<string, unknown> = await import(path);
    for (const [schemaName, schema] of Object.entries(exported)) {
      const id = schema instanceof z.ZodType ? z.globalRegistry.get(schema)?.id : undefined;
      const name = names.get(schemaName);
      if (id !== undefined && name !== undefined) types.set(id, { name, file });
    }
  }
  return types;
}
