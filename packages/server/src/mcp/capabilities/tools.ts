import type { Capability, Method } from "../capability.ts";
import { withHubPath } from "../frames/read-hub-path.ts";
import { withTraceContext } from "../frames/read-trace-context.ts";
import { type CallToolDeps, callTool, recordRefused } from "../methods/call-tool.ts";
import { createToolsList } from "../methods/list-tools.ts";

type ToolsDeps = CallToolDeps & {
  /** Whether calls are traced, so that their own trace context is read. */
  isTraced?: boolean;
};

/** `tools` has no `listChanged`, because rows never change the tool list. */
export function createToolsCapability(deps: ToolsDeps): Capability {
  const callUntraced: Method["answer"] = (ctx, params) =>
    callTool(deps, withHubPath(ctx, params), params);
  const methods = {
    "tools/list": {
      answer: createToolsList(deps.tools),
      cacheScope: deps.tools.cacheScope,
    },
    "tools/call": {
      answer: deps.isTraced
        ? (ctx, params) => callUntraced(withTraceContext(ctx, params), params)
        : callUntraced,
      nameParam: "name",
      recordRefused: (ctx, params, fault) => recordRefused(deps, ctx, params, fault),
    },
  } satisfies Record<string, Method>;
  return { advertised: { tools: {} }, session: methods, stateless: methods };
}
