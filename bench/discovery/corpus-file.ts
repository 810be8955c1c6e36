import { z } from "zod";

const operationSchema = z.strictObject({
  connector: z.string().min(1),
  /** Label and description of the row. */
  label: z.string(),
  about: z.string(),
  key: z.string().min(1),
  name: z.string(),
  description: z.string(),
  /** The names of its inputs. */
  inputs: z.array(z.string()),
  deprecated: z.boolean().optional(),
});

/** One line of a corpus file: an operation of the only row of its connector. */
export type Operation = z.infer<typeof operationSchema>;

const querySchema = z.strictObject({
  query: z.string().min(1),
  kind: z.enum(["keywords", "sentence", "paraphrase"]),
  /** The address of every operation that would do. */
  answers: z.array(z.string()).min(1),
  half: z.enum(["tune", "held"]),
});

/** One line of a query file. */
export type Query = z.infer<typeof querySchema>;

/** The name of an operation in `answers`, such as `GitHub/issues_create`. */
export function toAddress({ connector, key }: Pick<Operation, "connector" | "key">): string {
  return `${connector}/${key}`;
}

/** Throws an error that names the line, also for an operation that the file has twice. */
export async function readCorpus(path: string): Promise<Operation[]> {
  const operations = await readLines(path, operationSchema);
  const known = new Set<string>();
  for (const address of operations.map(toAddress)) {
    if (known.has(address)) throw new Error(`${path} has ${address} twice.`);
    known.add(address);
  }
  return operations;
}

export async function readQueries(path: string): Promise<Query[]> {
  return await readLines(path, querySchema);
}

async function readLines<Line>(path: string, schema: z.ZodType<Line>): Promise<Line[]> {
  const lines = (await Bun.file(path).text()).split("\n");
  return lines.flatMap((line, index) => {
    if (line.trim() === "") return [];
    try {
      return [schema.parse(JSON.parse(line))];
    } catch (err) {
      throw new Error(`${path}, line ${index + 1}: ${err instanceof Error ? err.message : err}`);
    }
  });
}
