import { z } from "zod";

const operationSchema = z.strictObject({
  /** Operations of different hubs are searched separately. */
  hub: z.string().optional(),
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
  /** If `connector/key` is the address of several operations. */
  address: z.string().optional(),
  /** The schema of its inputs, as the hub reads it. */
  schema: z.record(z.string(), z.unknown()).optional(),
});

/** One line of a corpus file: an operation of a row. Rows of one connector have different labels. */
export type Operation = z.infer<typeof operationSchema>;

const querySchema = z.strictObject({
  hub: z.string().optional(),
  query: z.string().min(1),
  kind: z.string().min(1),
  /** The address of every operation that would do. */
  answers: z.array(z.string()).min(1),
  half: z.enum(["tune", "held"]),
});

/** One line of a query file. */
export type Query = z.infer<typeof querySchema>;

/** The name of an operation in `answers`, such as `GitHub/issues_create`. */
export function toAddress({
  connector,
  key,
  address,
}: Pick<Operation, "connector" | "key" | "address">): string {
  return address ?? `${connector}/${key}`;
}

/** Throws an error that names the line, also for an operation that the file has twice. */
export async function readCorpus(path: string): Promise<Operation[]> {
  const operations = await readLines(path, operationSchema);
  const known = new Set<string>();
  for (const operation of operations) {
    const address = toAddress(operation);
    const whole = `${operation.hub ?? ""} ${address}`;
    if (known.has(whole)) throw new Error(`${path} has ${address} twice.`);
    known.add(whole);
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
