import type { Issue } from "@hub/connector";
import type { z } from "zod";
import type { ExecuteRequest } from "../../operations/operations.ts";
import type { Params } from "../frames/frame.ts";
import { objectArgument, textArgument, textListArgument } from "./argument-types.ts";
import { findNameConflicts, toolNameArguments, toToolName } from "./tool-name-arguments.ts";

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
  pending_id: textArgument(
    "In place of params: the pending_id of a call that waited for a person. It is made again as it was sent.",
    64,
  ).optional(),
  account: textArgument("The label of the user's account, if there are several.", 200).optional(),
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
export function toCallRequest(args: CallArguments): ExecuteRequest {
  const { params = {}, fields, pending_id: pendingId, account } = args;
  const { toolId, named } = toToolName(args);
  const request: ExecuteRequest = { toolId, params, fields, pendingId, account };
  if (named !== undefined) request.named = named;
  return request;
}

const noIssues: Issue[] = [];

/** What is wrong with the arguments together. A pending call has its own params, fields and account. */
export function findCallConflicts(args: Params): Issue[] {
  const { row, operation, pending_id: pendingId } = args;
  if (row === undefined && operation === undefined && pendingId === undefined) return noIssues;
  const issues = findNameConflicts(args);
  if (pendingId === undefined) return issues;
  const others = ["params", "fields", "account"].filter((name) => args[name] !== undefined);
  const excluded = others.map((path) => ({
    path,
    message: `"pending_id" makes the call again as it was sent. Leave out "${path}".`,
  }));
  return [...issues, ...excluded];
}
