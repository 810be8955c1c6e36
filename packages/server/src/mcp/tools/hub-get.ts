import { z } from "zod";
import { toolIdArgument } from "./argument-types.ts";
import { defineMetaTool } from "./define-meta-tool.ts";

export const hubGet = defineMetaTool({
  name: "hub_get",
  title: "Read one operation",
  description:
    "Returns everything about one operation: its full description, the input_schema of its params, and examples if it has any. " +
    "Use it before hub_execute unless hub_search already gave you the input_schema.",
  args: z.strictObject({ tool_id: toolIdArgument }),
  annotations: { readOnlyHint: true, openWorldHint: false },
  call: ({ operations }, { caller }, { tool_id: toolId }) => operations.getTool(caller, toolId),
});
