import { isJsonObject } from "@hub/connector";
import { hubPathKey, readHubPath } from "../../lib/hub-path.ts";
import type { CallContext } from "../../operations/operations.ts";
import type { Capability, Method } from "../capability.ts";
import type { Params } from "../frames/frame.ts";
import { withTraceContext } from "../frames/read-trace-context.ts";
import { type CallToolDeps, callTool, recordRefused } from "../methods/call-tool.ts";
import { createToolsList } from "../methods/list-tools.ts";

type ToolsDeps = CallToolDeps & {
  /** Whether calls are traced, so that their own trace context is read. */
  isTraced?: boolean;
};

/** `tools` has no `listChanged`, because rows never change the tool list. */
export function createToolsCapability(deps: ToolsDeps): Capability {
  const callUntraced = (ctx: CallContext, params: Params) =>
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

/** Adds the hubs that the message says it has passed. */
function withHubPath(ctx: CallContext, { _meta: meta }: Params): CallContext {
  if (!isJsonObject(meta) || !(hubPathKey in meta)) return ctx;
  return { ...ctx, hubs: readHubPath(meta[hubPathKey]) };
}
