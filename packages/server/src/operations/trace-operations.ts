import { toHubError } from "../errors.ts";
import type { SpanAttributes, Tracing } from "../lib/tracing/tracing.ts";
import type { CallContext, Operations } from "./operations.ts";

/**
 * Records a span for each call. It tells only what the caller sent or gets: a failure is described
 * by the sealed message, and nothing of a row is told before the caller is known to see it.
 */
export function traceOperations(
  operations: Operations,
  tracing: Tracing,
  metaToolNames: ReadonlySet<string>,
): Operations {
  /** `key` is the operation key in the audit row, if it is a name of the hub. */
  function trace<T>(ctx: CallContext, key: string, work: () => Promise<T>): Promise<T> {
    const isTraced = tracing.isActive() || Boolean(ctx.traceContext);
    return isTraced ? traceCall(ctx, key, work) : work();
  }

  async function traceCall<T>(ctx: CallContext, key: string, work: () => Promise<T>): Promise<T> {
    const { origin, caller, traceContext = null } = ctx;
    const isMcp = origin.source === "mcp";
    const name = isMcp ? toToolSpanName(metaToolNames, key) : `hub ${key}`;
    const attributes: SpanAttributes = {
      "enduser.id": caller.userId,
      "hub.call.source": origin.source,
      ...(isMcp && { "mcp.method.name": "tools/call", "gen_ai.operation.name": "execute_tool" }),
      ...(isMcp && metaToolNames.has(key) && { "gen_ai.tool.name": key }),
    };
    return await tracing.call({ name, kind: "server", attributes }, traceContext, async (span) => {
      try {
        return await work();
      } catch (thrown) {
        const { code, message } = toHubError(thrown);
        span.fail(code, message);
        throw thrown;
      }
    });
  }

  return {
    ...operations,
    execute: (ctx, request) => trace(ctx, "hub_execute", () => operations.execute(ctx, request)),
    executeTask: (ctx, task) =>
      trace(ctx, task.operationKey, () => operations.executeTask(ctx, task)),
    test: (ctx, request) => trace(ctx, "test", () => operations.test(ctx, request)),
    checkHealth: (ctx, rowId) => trace(ctx, "health", () => operations.checkHealth(ctx, rowId)),
    discover: (ctx, request) => trace(ctx, "discover", () => operations.discover(ctx, request)),
    findServers: (ctx, request) =>
      trace(ctx, "servers", () => operations.findServers(ctx, request)),
    lookUp: (ctx, question) => trace(ctx, "lookup", () => operations.lookUp(ctx, question)),
    record: (ctx, call, answer) =>
      trace(ctx, call.operationKey, () => operations.record(ctx, call, answer)),
  };
}

/** A made-up name of a tool is not part of the span's name, because names must be few. */
function toToolSpanName(known: ReadonlySet<string>, key: string): string {
  return known.has(key) ? `tools/call ${key}` : "tools/call";
}
