import { isJsonObject } from "@hub/connector";
import { z } from "zod";
import { createJsonInTextReader, readObjectOrText } from "../../lib/json/json-in-text.ts";
import { paramsDepth } from "../../operations/calls/fit-params.ts";
import type { Params } from "../frames/frame.ts";
import { objectArgument, toolIdArgument } from "./argument-types.ts";
import { executeNames, fieldsArgument } from "./hub-execute.ts";
import { readArguments } from "./parse-arguments.ts";

/** One call of several. */
export type ListedCall = z.output<typeof callSchema>;

const callsMax = 100;
/** Of more calls that are wrong, the others are counted. */
const wrongCallsMax = 20;

const exampleParams = { owner: "octocat", number: 7 };

const callSchema = z.strictObject({
  tool_id: toolIdArgument,
  params: objectArgument("The operation's own params.", exampleParams).optional(),
  fields: fieldsArgument.optional(),
});

const advice = { otherNames: executeNames, othersBelongTo: "params" };

/** The list of calls as clients see it: an array of objects like the arguments of one call. */
const listSchema = {
  type: "array",
  minItems: 1,
  maxItems: callsMax,
  items: {
    type: "object",
    properties: {
      tool_id: { type: "string" },
      params: { type: "object" },
      fields: { type: "array", items: { type: "string" } },
    },
    required: ["tool_id"],
    additionalProperties: false,
  },
} as const;

/**
 * A list of calls. Models also write it as JSON text, or one call without the list. Each call is read as the arguments
 * of a single one, and a refusal names it by its index, such as `calls.3.params`.
 */
export const callsArgument = z
  .preprocess((given, ctx) => {
    const list = toList(given);
    const problem = typeof list === "string" ? list : findSizeProblem(list);
    if (problem !== null || typeof list === "string") {
      ctx.addIssue({ code: "custom", message: problem ?? "" });
      return z.NEVER;
    }
    return readCalls(list, (path, message) =>
      ctx.addIssue({ code: "custom", path, message, params: { isSentence: true } }),
    );
  }, z.custom<ListedCall[]>())
  .meta({
    ...listSchema,
    description: `In place of tool_id: up to ${callsMax} calls at once, each {tool_id, params, fields?}. The answer has their results in this order.`,
  });

const form = `must be a list of 1 to ${callsMax} calls, such as [${JSON.stringify({ tool_id: "conn:…/get_issue", params: exampleParams })}]`;

/** The list that is meant, or why there is none. */
function toList(given: unknown): unknown[] | string {
  if (Array.isArray(given)) return given;
  if (isJsonObject(given)) return [given];
  if (typeof given !== "string") return form;
  const read = createJsonInTextReader().read(given, paramsDepth);
  if (read === null) return form;
  if ("problem" in read) return read.problem;
  return Array.isArray(read.value) ? read.value : [read.value];
}

function findSizeProblem({ length }: unknown[]): string | null {
  if (length === 0) return `is an empty list. It ${form}`;
  if (length <= callsMax) return null;
  return `has ${length} calls, and one message has at most ${callsMax}. Send the others in further messages`;
}

/** Reads every call, so that a model can correct all at once. */
function readCalls(
  list: readonly unknown[],
  addIssue: (path: Array<string | number>, message: string) => void,
): ListedCall[] {
  const calls: ListedCall[] = [];
  let wrong = 0;
  for (const [index, given] of list.entries()) {
    const read = readCall(given);
    if ("call" in read) calls.push(read.call);
    else if (++wrong <= wrongCallsMax) {
      for (const { path, message } of read.issues) {
        addIssue(path === "" ? [index] : [index, path], `Call ${index}: ${message}`);
      }
    }
  }
  const more = wrong - wrongCallsMax;
  if (more > 0) addIssue([], `${more} more calls have invalid arguments.`);
  return calls;
}

function readCall(
  given: unknown,
): { call: ListedCall } | { issues: ReadonlyArray<{ path: string; message: string }> } {
  // A text is read once more: some models write each call as JSON text.
  const read = given === null ? { value: null } : readObjectOrText(given, paramsDepth);
  const value = "value" in read ? read.value : null;
  if (!isJsonObject(value)) {
    const problem = "problem" in read ? read.problem : "must be an object with tool_id and params";
    return { issues: [{ path: "", message: `It ${problem}.` }] };
  }
  // Safe: it has just been found to be an object of JSON values.
  const found = readArguments({ name: "calls", schema: callSchema, ...advice }, value as Params);
  return "data" in found ? { call: found.data } : { issues: found.issues };
}
