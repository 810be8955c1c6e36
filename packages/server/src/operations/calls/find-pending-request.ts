import { type CallPath, toWorld } from "../admission/call.ts";
import { resolveTool } from "../catalogue/resolve-tool.ts";
import { toToolId } from "../catalogue/tool-id.ts";
import type { CallContext, ExecuteRequest } from "../operations.ts";
import { describeUnknown } from "../records/describe-request.ts";
import { recordCall } from "../records/record-call.ts";
import type { ExecuteDeps } from "./execute-deps.ts";

/** The request that a repeat names by its pending call. One that names none is recorded like any refused call. */
export async function findPendingRequest(
  deps: ExecuteDeps,
  ctx: CallContext,
  repeat: ExecuteRequest & { pendingId: string },
  path: CallPath,
): Promise<ExecuteRequest> {
  const { toolId, named, readsOnly, pendingId } = repeat;
  try {
    const isNamed = toolId !== "" || named !== undefined;
    const beside = isNamed ? await findNamedTool(deps, ctx, repeat, path) : undefined;
    return await deps.pending.findRequest(ctx, { pendingId, readsOnly, toolId: beside });
  } catch (thrown) {
    await recordCall(deps, ctx, describeUnknown({ toolId, named, readsOnly }), async () => {
      throw thrown;
    });
    throw thrown;
  }
}

/** The whole id of what a caller names; null if it is no operation that the caller sees. */
async function findNamedTool(
  deps: ExecuteDeps,
  { caller, hubs }: CallContext,
  { readsOnly, ...name }: ExecuteRequest,
  path: CallPath,
): Promise<string | null> {
  const directory = await deps.directory.current(caller.seen);
  const places = { ...toWorld(deps, directory), registry: deps.registry, directory };
  const { row, operation } = resolveTool(places, { path, caller, hubs, readsOnly }, name);
  return row && operation ? toToolId(row.id, operation.key) : null;
}
