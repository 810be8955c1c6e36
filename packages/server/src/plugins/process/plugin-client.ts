import { type ConnectorLog, type MaskOptions, parseJson } from "@hub/connector";
import {
  type AppVersion,
  type Chunk,
  type PluginConnection,
  RpcError,
} from "@hub/connector/plugin";
import type { AnswerBudget } from "../../connectors/connector-port.ts";
import { HubError } from "../../errors.ts";
import { createResultCollector } from "./collect-result.ts";
import { fromWireError, toTooLarge } from "./from-wire-error.ts";
import { type PluginRequest, toRequest } from "./to-request.ts";

/** Receives the events of one running call. */
export type PluginListener = {
  signal: AbortSignal;
  memory: AnswerBudget;
  progress(done: number, total?: number, message?: string): void;
  mask(value: string, options?: MaskOptions): void;
  maskIgnoreCase(value: string, options?: MaskOptions): void;
  recordHttpStatus(status: number): void;
  log: ConnectorLog;
};

/** The client of one running plugin. */
export type PluginClient = {
  appVersion: AppVersion;
  /** Resolves with the result; rejects with the connector's error or `plugin_unavailable`. */
  execute(request: PluginRequest, listener: PluginListener): Promise<unknown>;
  /** The `module` of the manifest, from the running program. */
  schema(): Promise<unknown>;
};

type ClientDeps = { pluginKey: string; appVersion: AppVersion; connection: PluginConnection };

export function createPluginClient({
  pluginKey,
  appVersion,
  connection,
}: ClientDeps): PluginClient {
  let current: CallMethod = appVersion === 1 ? "stream" : "shared";

  const executeStream = async (
    method: "executeShared" | "executeStream",
    request: PluginRequest,
    listener: PluginListener,
  ) => {
    const result = createResultCollector(pluginKey, listener.memory);
    let failure: Error | null = null;
    await connection[method](toRequest(appVersion, request), listener.signal, (chunk) => {
      deliverEvents(chunk, listener);
      if (chunk.error !== null) failure ??= fromWireError(chunk.error);
      else if (chunk.data.length > 0) result.add(chunk.data);
    });
    if (failure !== null) throw failure;
    return result.finish();
  };

  const executeOnce = async (request: PluginRequest, listener: PluginListener) => {
    const { resultJson, error } = await connection.execute(
      toRequest(appVersion, request),
      listener.signal,
    );
    if (error !== null) throw fromWireError(error);
    const result = createResultCollector(pluginKey, listener.memory);
    result.add(resultJson);
    return result.finish();
  };

  return {
    appVersion,
    async execute(request, listener) {
      const tried = current;
      try {
        if (tried === "once") return await executeOnce(request, listener);
        const method = tried === "shared" ? "executeShared" : "executeStream";
        return await executeStream(method, request, listener);
      } catch (thrown) {
        if (!(thrown instanceof RpcError)) throw thrown;
        const next = fallbacks[tried];
        if (thrown.status === "UNIMPLEMENTED" && next !== null) {
          // Plugins in other languages may have only the simpler method. The call has not run yet.
          if (current === tried) current = next;
          return await this.execute(request, listener);
        }
        throw toCallFailure(pluginKey, thrown);
      }
    },
    schema: () => connection.schema(),
  };
}

/** How calls are sent: over one stream for all, over a stream for each, or as unary calls. */
type CallMethod = "shared" | "stream" | "once";

const fallbacks: Record<CallMethod, CallMethod | null> = {
  shared: "stream",
  stream: "once",
  once: null,
};

/** Masks first, because the rest of the chunk may contain the values that they name. */
function deliverEvents(chunk: Chunk, listener: PluginListener): void {
  const options = chunk.maskOfRow ? { ofRow: true } : undefined;
  for (const value of chunk.mask) listener.mask(value, options);
  for (const value of chunk.maskIgnoreCase) listener.maskIgnoreCase(value, options);
  if (chunk.httpStatus !== 0) listener.recordHttpStatus(chunk.httpStatus);
  if (chunk.logJson.length > 0) deliverLog(chunk.logJson, listener.log);
  const message = chunk.message === "" ? undefined : chunk.message;
  if (chunk.exactProgress !== undefined) {
    listener.progress(chunk.exactProgress, chunk.exactTotal, message);
  } else if (chunk.progress !== 0 || message !== undefined) {
    listener.progress(chunk.progress, chunk.total === 0 ? undefined : chunk.total, message);
  }
}

const logBytesMax = 64 * 1024;

function deliverLog(bytes: Uint8Array, log: ConnectorLog): void {
  let line: unknown;
  // Lines are cut to a few KiB, so a line of megabytes is not parsed.
  if (bytes.length > logBytesMax) {
    log.warn(`A log line of ${bytes.length} bytes was too long and was omitted.`);
    return;
  }
  try {
    line = parseJson(Buffer.from(bytes).toString("utf8"));
  } catch {
    return;
  }
  if (typeof line !== "object" || line === null) return;
  const { level, message, details } = { level: "", message: "", details: undefined, ...line };
  const known = (["debug", "info", "warn", "error"] as const).find((name) => name === level);
  // A plugin's details may have any type; only objects are used.
  const fields =
    typeof details === "object" && details !== null ? { ...(details as object) } : undefined;
  log[known ?? "info"](String(message), fields);
}

/** The error for a call that gRPC ended. */
function toCallFailure(pluginKey: string, error: RpcError): Error {
  switch (error.status) {
    case "RESOURCE_EXHAUSTED":
      return toTooLarge(error);
    case "UNAVAILABLE":
    case "CANCELLED":
    case "ABORTED":
    case "INTERNAL":
      return new HubError(
        "plugin_unavailable",
        `The plugin "${pluginKey}" ended or could not be reached during this call. The call may have had an effect. Check that before you try again.`,
        { cause: error },
      );
    default:
      return new Error(error.details, { cause: error });
  }
}
