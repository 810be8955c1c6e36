import type { Issue } from "@hub/connector";
import type { ToolName } from "../../operations/operations.ts";
import type { Params } from "../frames/frame.ts";
import { textArgument, toolIdArgument } from "./argument-types.ts";

/** No label or name is longer. */
export const nameCharsMax = 1_000;

/** The arguments that name one operation: `tool_id`, or `row` and `operation`. */
export const toolNameArguments = {
  tool_id: toolIdArgument.optional(),
  row: textArgument(
    "With operation, in place of tool_id: the row's label.",
    nameCharsMax,
  ).optional(),
  operation: textArgument("With row: the operation's name or key.", nameCharsMax).optional(),
};

type NameArguments = {
  tool_id?: string | undefined;
  row?: string | undefined;
  operation?: string | undefined;
};

/** The operation that the arguments name. `findNameConflicts` has found nothing wrong with them. */
export function toToolName({ tool_id: toolId = "", row, operation }: NameArguments): ToolName {
  if (row === undefined || operation === undefined) return { toolId };
  return { toolId, named: { row, operation } };
}

/** What is wrong with the names together. Inputs of an operation can have the same names. */
export function findNameConflicts(args: Params): Issue[] {
  const given = ["row", "operation"].filter((name) => args[name] !== undefined);
  if (given.length === 0) return [];
  if (args.tool_id !== undefined) {
    return given.map((path) => ({
      path,
      message: `Send "tool_id", or "row" and "operation", not both. If "${path}" is an input of the operation, put it into "params".`,
    }));
  }
  if (given.length === 2) return [];
  const path = given[0] === "row" ? "operation" : "row";
  return [{ path, message: `"${path}" is required with "${given[0]}".` }];
}
