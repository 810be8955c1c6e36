import type { ToolDetail } from "@hub/contract/tool-entry.ts";
import { z } from "zod";
import { HubError } from "../../errors.ts";
import { textListArgument, toolIdArgument } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";

const toolIdsMax = 20;

export const hubGet = defineMetaTool({
  name: "hub_get",
  title: "Read operations",
  description:
    "Returns everything about one operation: its full description, the input_schema of its params, and examples if it has any. " +
    "Use it before hub_execute unless hub_search gave you its signature. " +
    "To compare operations, read several at once with tool_ids: the answer is then {tools}.",
  args: z.strictObject({
    tool_id: toolIdArgument.optional(),
    tool_ids: textListArgument(
      "Several tool_ids from hub_search or hub_list.",
      toolIdsMax,
    ).optional(),
  }),
  example: { tool_id: "conn:…/get_issue" },
  otherNames: { id: "tool_id", ids: "tool_ids", name: "tool_id", tools: "tool_ids" },
  requiresOne: ["tool_id", "tool_ids"],
  annotations: { readOnlyHint: true, openWorldHint: false },
  async call({ operations }, { caller }, { tool_id: toolId, tool_ids: toolIds }) {
    if (toolIds === undefined) return await operations.catalogue.get(caller, toolId ?? "");
    const read = async (id: string): Promise<ToolDetail | Record<string, unknown>> => {
      try {
        return await operations.catalogue.get(caller, id);
      } catch (thrown) {
        if (!(thrown instanceof HubError)) throw thrown;
        return { tool_id: id, error: thrown.message, code: thrown.code };
      }
    };
    const ids = new Set(toolId === undefined ? toolIds : [toolId, ...toolIds]);
    return { tools: await Promise.all([...ids].map(read)) };
  },
});
