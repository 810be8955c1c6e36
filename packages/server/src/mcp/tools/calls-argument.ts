import { isJsonObject } from "@hub/connector";
import { z } from "zod";
import { createJsonInTextReader, type JsonInTextReader } from "../../lib/json/json-in-text.ts";
import { paramsDepth } from "../../operations/calls/fit-params.ts";
import type { ExecuteRequest } from "../../operations/operations.ts";
import {
  callAdvice,
  callArguments,
  exampleCall,
  findCallConflicts,
  toCallRequest,
} from "./call-arguments.ts";
import { readArguments } from "./parse-arguments.ts";

/** So many calls one message can have. */
export const callsMax = 100;
/** Of more calls that are wrong, the others are counted. */
const wrongCallsMax = 20;
/** No further call is named after so many issues: the answer says each twice. */
const issuesMax = 40;

const callSchema = z.strictObject(callArguments);

/** Each call is read as the arguments of a tool. */
const oneCall = {
  name: "calls",
  schema: callSchema,
  ...callAdvice,
  requiresOne: ["tool_id", "row", "pending_id"],
  findConflicts: findCallConflicts,
};

/** The list of calls as clients see it: an array of objects like the arguments of one call. */
const listSchema = {
  type: "array",
  minItems: 1,
  maxItems: callsMax,
  items: {
    type: "object",
    properties: {
      tool_id: { type: "string" },
      row: { type: "string" },
      operation: { type: "string" },
      params: { type: "object" },
      fields: { type: "array", items: { type: "string" } },
      pending_id: { type: "string" },
      account: { type: "string" },
    },
    additionalProperties: false,
  },
} as const;

/**
 * A list of calls, as the operations take them. Models also write it as JSON text, or one call without the list. Each call is read as the arguments
 * of a single one, and a refusal names it by its index, such as `calls.3.params`.
 */
export const callsArgument = z
  .preprocess((given, ctx) => {
    // All texts of the message together have the limits of one.
    const texts = createJsonInTextReader();
    const list = toList(texts, given);
    if (typeof list === "string") {
      ctx.addIssue({ code: "custom", message: list });
      return z.NEVER;
    }
    return readCalls(texts, list, (path, message) =>
      ctx.addIssue({ code: "custom", path, message, params: { isSentence: true } }),
    );
  }, z.custom<ExecuteRequest[]>())
  .meta({
    ...listSchema,
    description: `In place of tool_id: up to ${callsMax} calls at once, each {tool_id, params, fields?}. The answer is {results} in this order, each with its status.`,
  });

const form = `must be a list of 1 to ${callsMax} calls, such as [${JSON.stringify(exampleCall)}]`;

/** The list that is meant, or why there is none. */
function toList(texts: JsonInTextReader, given: unknown): unknown[] | string {
  const read = typeof given === "string" ? texts.read(given, 2) : { value: given };
  if (read === null) return form;
  if ("problem" in read) return read.problem;
  const { value } = read;
  if (isJsonObject(value)) return [value];
  if (!Array.isArray(value)) return form;
  const { length } = value;
  if (length === 0) return `is an empty list. It ${form}`;
  if (length <= callsMax) return value;
  return `has ${length} calls, and one message has at most ${callsMax}. Send the others in further messages`;
}

/** Reads every call, so that a model can correct all at once. */
function readCalls(
  texts: JsonInTextReader,
  list: readonly unknown[],
  addIssue: (path: Array<string | number>, message: string) => void,
): ExecuteRequest[] {
  const calls: ExecuteRequest[] = [];
  let wrong = 0;
  let named = 0;
  let issues = 0;
  for (const [index, given] of list.entries()) {
    const read = readCall(texts, given);
    if ("call" in read) {
      calls.push(read.call);
      continue;
    }
    wrong += 1;
    if (named === wrongCallsMax || issues >= issuesMax) continue;
    named += 1;
    issues += read.issues.length;
    for (const { path, message } of read.issues) {
      addIssue(path === "" ? [index] : [index, path], `Call ${index}: ${message}`);
    }
  }
  const more = wrong - named;
  if (more > 0) addIssue([], `${more} more calls have invalid arguments.`);
  return calls;
}

type ReadCall =
  | { call: ExecuteRequest }
  | { issues: ReadonlyArray<{ path: string; message: string }> };

function readCall(texts: JsonInTextReader, listed: unknown): ReadCall {
  const refuse = (path: string, message: string) => ({ issues: [{ path, message }] });
  // Some models write each call as JSON text.
  const read = readText(texts, listed);
  if ("problem" in read) return refuse("", `It ${read.problem}.`);
  const { value } = read;
  if (!isJsonObject(value)) return refuse("", "It must be an object with tool_id and params.");
  const given = readTexts(texts, value);
  if ("problem" in given) return refuse(given.path, `"${given.path}" ${given.problem}.`);
  const found = readArguments(oneCall, given.call);
  return "data" in found ? { call: toCallRequest(found.data) } : { issues: found.issues };
}

/** A call with the object and the list of the members that are JSON text. */
export function readTexts(
  texts: JsonInTextReader,
  { ...call }: Record<string, unknown>,
): { call: Record<string, unknown> } | { path: string; problem: string } {
  for (const path of ["params", "fields"]) {
    if (typeof call[path] !== "string") continue;
    const inner = readText(texts, call[path]);
    if ("problem" in inner) return { path, problem: inner.problem };
    call[path] = inner.value;
  }
  return { call };
}

/** The object or list in a text; other values as they are. */
function readText(
  texts: JsonInTextReader,
  given: unknown,
): { value: unknown } | { problem: string } {
  const read = typeof given === "string" ? texts.read(given, paramsDepth) : null;
  return read ?? { value: given };
}
