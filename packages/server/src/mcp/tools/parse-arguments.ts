import { type Issue, suggest } from "@hub/connector";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import type { Params } from "../frame.ts";

/** Schema of a meta-tool's arguments: a strict object, or a loose one for tools without arguments. */
export type ArgumentsSchema = z.ZodObject;

/** Further unknown names are counted, not listed, to keep the answer short. */
const unknownNamesMax = 20;
const shownNameCharsMax = 64;

/**
 * Parses a tool's arguments. Throws `invalid_params` with every issue, so that a model can correct
 * all of them at once.
 */
export function parseArguments<Schema extends ArgumentsSchema>(
  toolName: string,
  schema: Schema,
  args: Params,
  requiresOne: readonly string[] = [],
): z.output<Schema> {
  const parsed = schema.safeParse(args);
  const missing = findMissing(args, requiresOne);
  if (parsed.success && missing.length === 0) return parsed.data;
  const names = Object.keys(schema.shape);
  const found = parsed.error?.issues.flatMap((issue) => toIssues(issue, args, names)) ?? [];
  const issues = [...found, ...missing];
  const sentences = issues.map(({ message }) => message).join(" ");
  throw new HubError("invalid_params", `Invalid arguments for ${toolName}: ${sentences}`, {
    detail: { issues },
  });
}

/** The schema as clients see it in `tools/list`. */
export function toArgumentsJsonSchema(schema: ArgumentsSchema): Record<string, unknown> {
  const { $schema, additionalProperties, ...rest } = z.toJSONSchema(schema, {
    io: "input",
    // Custom types carry their JSON Schema in their metadata.
    unrepresentable: "any",
  });
  return { ...rest, ...(additionalProperties === false && { additionalProperties }) };
}

/** Names the first of the arguments if the call has none of them. */
function findMissing(args: Params, requiresOne: readonly string[]): Issue[] {
  const [first] = requiresOne;
  if (first === undefined || requiresOne.some((name) => args[name] !== undefined)) return [];
  return [{ path: first, message: `"${first}" is required.` }];
}

function toIssues(issue: z.core.$ZodIssue, args: Params, names: string[]): Issue[] {
  if (issue.code === "unrecognized_keys") return toUnknownNames(issue.keys, names);
  const name = String(issue.path[0] ?? "");
  const isMissing = !Object.hasOwn(args, name) || args[name] === undefined;
  return [{ path: name, message: `"${name}" ${isMissing ? "is required" : issue.message}.` }];
}

/** Refuses misspelt names: otherwise an operation would run without the value they carry. */
function toUnknownNames(keys: readonly string[], names: string[]): Issue[] {
  const issues = keys.slice(0, unknownNamesMax).map((key) => {
    const path = key.slice(0, shownNameCharsMax);
    const message = `There is no argument ${JSON.stringify(path)}.${suggest(path, names)}`;
    return { path, message };
  });
  const more = keys.length - issues.length;
  if (more === 0) return issues;
  return [...issues, { path: "", message: `${more} more argument names are unknown.` }];
}
