import type { z } from "zod";
import type { ExecuteRequest } from "../../operations/operations.ts";
import { objectArgument, textListArgument } from "./argument-types.ts";
import { toolNameArguments, toToolName } from "./tool-name-arguments.ts";

const exampleParams = { owner: "octocat", number: 7 };

/** Right arguments of one call. */
export const exampleCall = { tool_id: "conn:…/get_issue", params: exampleParams };

export const fieldsArgument = textListArgument(
  'Return only these parts of the result, as paths such as "total_count" or "items.*.title". Use it when you need a few members of a large result.',
  50,
);

/** The arguments of one call of an operation. */
export const callArguments = {
  ...toolNameArguments,
  params: objectArgument("The operation's own params, by name.", exampleParams).optional(),
  fields: fieldsArgument.optional(),
};

/** What models write in place of these arguments. */
export const callAdvice = {
  otherNames: {
    id: "tool_id",
    tool: "tool_id",
    name: "tool_id",
    parameters: "params",
    arguments: "params",
    args: "params",
    input: "params",
    inputs: "params",
    tool_input: "params",
    tool_args: "params",
    payload: "params",
  },
  // Models write the inputs of an operation beside its tool_id.
  othersBelongTo: "params",
} as const;

type CallArguments = z.output<z.ZodObject<typeof callArguments>>;

/** The call, as the operations take it. */
export function toCallRequest({ params = {}, fields, ...name }: CallArguments): ExecuteRequest {
  return { ...toToolName(name), params, fields };
}
