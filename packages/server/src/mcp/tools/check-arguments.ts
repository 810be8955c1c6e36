import type { Issue } from "@hub/connector";
import { isJsonObject, type Json, suggest } from "@hub/connector";
import { HubError } from "../../errors.ts";
import type { Params } from "../frame.ts";

/** The part of JSON Schema that the meta-tools need. */
export type ArgumentsSchema = {
  readonly type: "object";
  readonly properties: { readonly [name: string]: ArgumentSchema };
  readonly required?: readonly string[];
  readonly additionalProperties?: false;
};

type ArgumentSchema = { readonly type: "string" | "object"; readonly description: string };

/** The type of the arguments that fit a schema. */
export type ArgumentsOf<Schema extends ArgumentsSchema> = {
  readonly [Name in keyof Schema["properties"]]:
    | ValueOf<Schema["properties"][Name]>
    | (Name extends RequiredName<Schema> ? never : undefined);
};

type ValueOf<Argument extends ArgumentSchema> = Argument["type"] extends "string" ? string : Params;

type RequiredName<Schema extends ArgumentsSchema> =
  Schema["required"] extends readonly (infer Name)[] ? Name : never;

/** Null, or everything that is wrong with a tool's arguments. */
export function findArgumentFault(
  toolName: string,
  schema: ArgumentsSchema,
  args: Params,
): HubError | null {
  const issues = [...findWrongValues(schema, args), ...findUnknownNames(schema, args)];
  if (issues.length === 0) return null;
  const sentences = issues.map(({ message }) => message).join(" ");
  return new HubError("malformed_params", `Invalid arguments for ${toolName}: ${sentences}`, {
    detail: { issues },
  });
}

function* findWrongValues(schema: ArgumentsSchema, args: Params): Iterable<Issue> {
  for (const [name, { type }] of Object.entries(schema.properties)) {
    const value = Object.hasOwn(args, name) ? args[name] : undefined;
    if (value === undefined) {
      if (!schema.required?.includes(name)) continue;
      yield { path: name, message: `"${name}" is required.` };
    } else if (!isOfType(value, type)) {
      const article = type === "object" ? "an" : "a";
      yield { path: name, message: `"${name}" must be ${article} ${type}.` };
    }
  }
}

/** A misspelt name would run an operation without what it was meant to carry. */
function* findUnknownNames(schema: ArgumentsSchema, args: Params): Iterable<Issue> {
  if (schema.additionalProperties !== false) return;
  const known = Object.keys(schema.properties);
  for (const name of Object.keys(args)) {
    if (known.includes(name)) continue;
    const shown = name.slice(0, 64);
    const hint = suggest(shown, known);
    yield { path: shown, message: `There is no argument ${JSON.stringify(shown)}.${hint}` };
  }
}

function isOfType(value: Json, type: ArgumentSchema["type"]): boolean {
  return type === "string" ? typeof value === "string" : isJsonObject(value);
}
