import { toHubError } from "../errors.ts";
import type { SpanAttributes, Tracing } from "../lib/tracing/tracing.ts";
import type { CallContext } from "./operations.ts";
import type { Batches, CallRecords, Calls, Rows } from "./ports.ts";
import { toMetaTool } from "./records/describe-request.ts";

/** Runs a call within a span. `key` is the operation key in the audit row, if it is a name of the hub. */
export type CallTracer = <T>(ctx: CallContext, key: string, work: () => Promise<T>) => Promise<T>;

/**
 * Records a span for each call. It tells only what the caller sent or gets: a failure is described
 * by the sealed message, and nothing of a row is told before the caller is known to see it.
 */
export function createCallTracer(tracing: Tracing, metaToolNames: ReadonlySet<string>): CallTracer {
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

  return (ctx, key, work) => {
    const isTraced = tracing.isActive() || Boolean(ctx.traceContext);
    return isTraced ? traceCall(ctx, key, work) : work();
  };
}

export function traceCalls(calls: Calls, trace: CallTracer): Calls {
  return {
    ...calls,
    call: (ctx, request) => trace(ctx, toMetaTool(request), () => calls.call(ctx, request)),
    tryOut: (ctx, request) => trace(ctx, "test", () => calls.tryOut(ctx, request)),
  };
}

export function traceBatches(batches: Batches, trace: CallTracer): Batches {
  return {
    read: (ctx, batch) => trace(ctx, "hub_read", () => batches.read(ctx, batch)),
    tryOut: (ctx, batch) => trace(ctx, "test", () => batches.tryOut(ctx, batch)),
  };
}

export function traceRows(rows: Rows, trace: CallTracer): Rows {
  return {
    test: (ctx, request) => trace(ctx, "test", () => rows.test(ctx, request)),
    watchHealth: (ctx, rowId, isChange) =>
      trace(ctx, "health", () => rows.watchHealth(ctx, rowId, isChange)),
    health: (ctx, rowId) => trace(ctx, "health", () => rows.health(ctx, rowId)),
    discover: (ctx, request) => trace(ctx, "discover", () => rows.discover(ctx, request)),
    explore: (ctx, request) => trace(ctx, "discover", () => rows.explore(ctx, request)),
    findServers: (ctx, request) => trace(ctx, "servers", () => rows.findServers(ctx, request)),
    lookUp: (ctx, question) => trace(ctx, "lookup", () => rows.lookUp(ctx, question)),
  };
}

export function traceRecords(records: CallRecords, trace: CallTracer): CallRecords {
  return {
    record: (ctx, call, answer) =>
      trace(ctx, call.operationKey, () => records.record(ctx, call, answer)),
    answer: records.answer,
    runTask: (ctx, task) => trace(ctx, task.operationKey, () => records.runTask(ctx, task)),
  };
}

/** A made-up name of a tool is not part of the span's name, because names must be few. */
function toToolSpanName(known: ReadonlySet<string>, key: string): string {
  return known.has(key) ? `tools/call ${key}` : "tools/call";
}
