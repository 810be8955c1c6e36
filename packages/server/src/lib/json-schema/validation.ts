import type { Issue, JsonSchema } from "@hub/connector";

/** A value that does not fit. `refusedBy`: the schema, if the value is of a type that it does not accept. */
export type Problem = Issue & { refusedBy?: JsonSchema };

/** One validation of one value. */
export type Validation = {
  root: JsonSchema;
  /** The first problem of the value with a schema; null if it is valid. */
  check(schema: unknown, value: unknown, path: string): Problem | null;
  /** Whether the pattern is found in the text. True if the engine does not know the pattern. */
  matches(pattern: string, text: string): boolean;
  /** Counts work that grows with the schema. Throws when the validation has done too much. */
  spend(steps: number): void;
  /** Counts the characters of a text that is read. */
  spendChars(chars: number): void;
  /** The names of the members of an object, which it counts. */
  listNames(value: Record<string, unknown>): string[];
};

/** The check of one keyword. `schema` is the schema that has it. */
export type KeywordCheck = (
  validation: Validation,
  schema: JsonSchema,
  value: unknown,
  path: string,
) => Problem | null;

export function joinPath(path: string, name: string): string {
  return path === "" ? name : `${path}.${name}`;
}

/** Values of a schema, cut for a message. */
export function listValues(values: readonly unknown[]): string {
  const listed = values.slice(0, 20).map((value) => JSON.stringify(value));
  const rest = values.length - listed.length;
  return rest > 0 ? `${listed.join(", ")} and ${rest} more` : listed.join(", ");
}

/** The items of a keyword that should be a list. */
export function toList(value: unknown): unknown[] {
  return Array.isArray(value) ? value : [];
}
