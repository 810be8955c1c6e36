import type { Operation } from "../corpus-file.ts";

/** A search over a corpus. */
export type Engine = {
  name: string;
  /** The addresses of the best matches, the best first. */
  search(query: string, limit: number): Promise<string[]>;
  /** The size of the answer that a client gets with the default limit; null without such answers. */
  measureAnswer(query: string): Promise<number | null>;
  close(): Promise<void>;
};

/** As the author of a connector writes it: a deprecated operation says so. */
export function describeOperation({ description, deprecated = false }: Operation): string {
  return deprecated && !/deprecated/i.test(description)
    ? `Deprecated. ${description}`
    : description;
}

/** All texts of an operation, for engines with one field. */
export function joinTexts(operation: Operation): string {
  const { connector, label, about, key, name, inputs, schema } = operation;
  const texts = [connector, label, about, key, name, describeOperation(operation), ...inputs];
  // Other engines do not split "createIssue", or do not by default.
  const parts = [name, key].map((text) => text.replaceAll(/(?<=[\p{Ll}\p{N}])(?=\p{Lu})/gu, " "));
  return [...new Set([...texts, ...parts]), ...listInputTexts(schema)].join("\n");
}

/** The descriptions of the inputs. */
function listInputTexts(schema: Operation["schema"]): string[] {
  const properties: unknown[] = Object.values(Object(schema?.properties));
  return properties
    .map((property): unknown => Object(property).description)
    .filter((text) => typeof text === "string");
}
