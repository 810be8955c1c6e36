import type { ToolDetail } from "@hub/contract/tool-entry.ts";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import type { ToolName } from "../../operations/operations.ts";
import { textListArgument } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";
import { findNameConflicts, toolNameArguments, toToolName } from "./tool-name-arguments.ts";

const toolIdsMax = 20;

export const hubGet = defineMetaTool({
  name: "hub_get",
  title: "Read operations",
  description:
    "Returns everything about one operation: its full description, the input_schema of its params, and examples if it has any. " +
    "Use it before you call an operation for which hub_search gave you no signature. " +
    "To compare operations, read several at once with tool_ids: the answer is then {tools}.",
  args: z.strictObject({
    ...toolNameArguments,
    tool_ids: textListArgument(
      "Several tool_ids from hub_search or hub_list.",
      toolIdsMax,
    ).optional(),
  }),
  example: { tool_id: "conn:…/get_issue" },
  otherNames: { id: "tool_id", ids: "tool_ids", name: "tool_id", tools: "tool_ids" },
  requiresOne: ["tool_id", "row", "tool_ids"],
  findConflicts: findNameConflicts,
  annotations: { readOnlyHint: true, openWorldHint: false },
  async call({ operations }, { caller }, { tool_ids: toolIds, ...name }) {
    const { catalogue } = operations;
    if (toolIds === undefined) return await catalogue.get(caller, toToolName(name));
    const read = async (of: ToolName): Promise<ToolDetail | Record<string, unknown>> => {
      try {
        return await catalogue.get(caller, of);
      } catch (thrown) {
        if (!(thrown instanceof HubError)) throw thrown;
        const { toolId, named } = of;
        return { ...(named ?? { tool_id: toolId }), error: thrown.message, code: thrown.code };
      }
    };
    const ids = new Set(name.tool_id === undefined ? toolIds : [name.tool_id, ...toolIds]);
    const names: ToolName[] = [...ids].map((toolId) => ({ toolId }));
    if (name.row !== undefined) names.unshift(toToolName(name));
    return { tools: await Promise.all(names.map(read)) };
  },
});
