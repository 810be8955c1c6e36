import type { Tool, ToolSet } from "../tool-set.ts";
import type { MetaTool, ToolDeps } from "./define-meta-tool.ts";
import { hubDecrypt } from "./hub-decrypt.ts";
import { hubEncrypt } from "./hub-encrypt.ts";
import { hubExecute } from "./hub-execute.ts";
import { hubGet } from "./hub-get.ts";
import { hubInfo } from "./hub-info.ts";
import { hubList } from "./hub-list.ts";
import { hubRead } from "./hub-read.ts";
import { hubSearch } from "./hub-search.ts";
import { createInstructions } from "./instructions.ts";

/** The tools that clients see: the seven of the specification in its order, then `hub_read`. Rows never change the list. */
export const metaTools: readonly MetaTool[] = [
  hubList,
  hubSearch,
  hubGet,
  hubExecute,
  hubInfo,
  hubEncrypt,
  hubDecrypt,
  hubRead,
];

/** The meta-tools with their dependencies. All callers have the same ones. */
export function createMetaTools(
  deps: ToolDeps,
  declared: readonly MetaTool[] = metaTools,
): ToolSet {
  const tools = declared.map((tool) => bindTool(tool, deps));
  const byName = new Map(tools.map((tool) => [tool.name, tool]));
  return {
    list: () => tools,
    find: (_caller, name) => byName.get(name) ?? null,
    instructions: createInstructions(deps.operations),
    unknownToolAdvice: "To call an operation, use hub_execute with its tool_id.",
    cacheScope: "public",
  };
}

function bindTool(tool: MetaTool, deps: ToolDeps): Tool {
  const { name, title, description, annotations } = tool;
  return {
    name,
    title,
    description,
    annotations,
    get inputSchema() {
      return tool.inputSchema;
    },
    accept(args) {
      const run = tool.accept(args);
      return (ctx, input) => run(deps, ctx, input);
    },
  };
}
