import { type Issue, suggest } from "@hub/connector";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import { issueWords } from "../../lib/input/issue-words.ts";
import type { Params } from "../frames/frame.ts";

/** Schema of a meta-tool's arguments: a strict object, or a loose one for tools without arguments. */
export type ArgumentsSchema = z.ZodObject;

/** What a refusal says beside the issues of the schema. */
export type ArgumentAdvice = {
  /** The call needs one of these arguments. */
  requiresOne?: readonly string[] | undefined;
  /** Names that models use, and the argument that each of them means. */
  otherNames?: Readonly<Record<string, string>> | undefined;
  /** Names that are arguments of another tool, and the sentence that says so. */
  ofOtherTools?: Readonly<Record<string, string>> | undefined;
  /** The argument into which other names belong. */
  othersBelongTo?: string | undefined;
  /** Finds what is wrong with arguments that are right one by one. */
  findConflicts?: ((args: Params) => Issue[]) | undefined;
};

type ToolArguments<Schema extends ArgumentsSchema> = ArgumentAdvice & {
  /** The tool's. */
  name: string;
  schema: Schema;
  /** Right arguments. */
  example?: Params | undefined;
};

/** Further unknown names are counted, not listed, to keep the answer short. */
const unknownNamesMax = 20;
const shownNameCharsMax = 64;

/**
 * Parses a tool's arguments. Throws `invalid_params` with every issue, so that a model can correct
 * all of them at once, and with an example.
 */
export function parseArguments<Schema extends ArgumentsSchema>(
  tool: ToolArguments<Schema>,
  args: Params,
): z.output<Schema> {
  const read = readArguments(tool, args);
  if ("data" in read) return read.data;
  const { issues } = read;
  const sentences = issues.map(({ message }) => message).join(" ");
  throw new HubError("invalid_params", `Invalid arguments for ${tool.name}: ${sentences}`, {
    detail: { issues, ...(tool.example && { example: tool.example }) },
  });
}

/** The parsed arguments, or every issue. */
export function readArguments<Schema extends ArgumentsSchema>(
  tool: ToolArguments<Schema>,
  args: Params,
): { data: z.output<Schema> } | { issues: Issue[] } {
  const { schema } = tool;
  const parsed = schema.safeParse(args, { error: issueWords });
  const absent = findMissing(args, tool.requiresOne);
  const conflicts = tool.findConflicts?.(args) ?? [];
  if (parsed.success && absent.length + conflicts.length === 0) return { data: parsed.data };
  const names = Object.keys(schema.shape);
  const found = parsed.error?.issues.flatMap((issue) => toIssues(issue, args, tool, names)) ?? [];
  return { issues: [...found, ...absent, ...conflicts] };
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
function findMissing(args: Params, requiresOne: readonly string[] = []): Issue[] {
  const [first] = requiresOne;
  if (first === undefined || requiresOne.some((name) => args[name] !== undefined)) return [];
  return [{ path: first, message: `"${first}" is required.` }];
}

function toIssues(
  issue: z.core.$ZodIssue,
  args: Params,
  advice: ArgumentAdvice,
  names: readonly string[],
): Issue[] {
  if (issue.code === "unrecognized_keys") return toUnknownNames(issue.keys, args, advice, names);
  // Of an argument that is read by itself.
  if (issue.code === "custom" && issue.params?.isSentence === true) {
    return [{ path: issue.path.join("."), message: issue.message }];
  }
  const name = String(issue.path[0] ?? "");
  const isMissing = !Object.hasOwn(args, name) || args[name] === undefined;
  return [{ path: name, message: `"${name}" ${isMissing ? "is required" : issue.message}.` }];
}

/** Refuses misspelt names: otherwise an operation would run without the value they carry. */
function toUnknownNames(
  keys: readonly string[],
  args: Params,
  advice: ArgumentAdvice,
  names: readonly string[],
): Issue[] {
  const isFree = (name: string) => !Object.hasOwn(args, name);
  const issues = keys.slice(0, unknownNamesMax).map((key) => {
    const path = key.slice(0, shownNameCharsMax);
    const hint = findHint(path, advice, names, isFree);
    return { path, message: `There is no argument ${JSON.stringify(path)}.${hint}` };
  });
  const more = keys.length - issues.length;
  if (more === 0) return issues;
  return [...issues, { path: "", message: `${more} more argument names are unknown.` }];
}

/** The argument that a name stands for, if the call has not got it already; else the one into which it belongs. */
function findHint(
  name: string,
  { otherNames = {}, ofOtherTools = {}, othersBelongTo }: ArgumentAdvice,
  names: readonly string[],
  isFree: (name: string) => boolean,
): string {
  const lower = name.toLowerCase();
  const meant = Object.hasOwn(otherNames, lower) ? otherNames[lower] : undefined;
  if (meant !== undefined && isFree(meant)) return ` Did you mean "${meant}"?`;
  if (Object.hasOwn(ofOtherTools, lower)) return ` ${ofOtherTools[lower]}`;
  const similar = suggest(name, names.filter(isFree));
  if (similar !== "" || othersBelongTo === undefined) return similar || suggest(name, names);
  return ` Put the operation's own inputs into "${othersBelongTo}".`;
}
