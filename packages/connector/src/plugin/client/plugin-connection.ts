import type { Client, Metadata, MethodDefinition, ServiceError } from "@grpc/grpc-js";
import { parseJson } from "../../json.ts";
import type {
  Chunk,
  ExecuteRequest,
  ExecuteResponse,
  Frames,
  StdioData,
} from "../wire/messages.ts";
import type { PluginServices } from "../wire/services.ts";
import { RpcError } from "./rpc-error.ts";
import { createSharedStream, type ReceivedFrame, type SharedStream } from "./shared-stream.ts";

type Grpc = typeof import("@grpc/grpc-js");

/** The connection to one process, for all its calls. */
export type PluginConnection = {
  /** False after the connection has broken. It is not reopened. */
  isConnected(): boolean;
  /**
   * Resolves when the stream ends without an error. Rejects with an RpcError or the signal's
   * reason.
   */
  executeStream(
    request: Partial<ExecuteRequest>,
    signal: AbortSignal,
    onChunk: (chunk: Chunk) => void,
  ): Promise<void>;
  /**
   * The same over the shared stream of version 2, which costs much less. If the plugin does not
   * support it, it rejects with an RpcError `UNIMPLEMENTED` and nothing was executed.
   */
  executeShared: SharedStream["execute"];
  execute(request: Partial<ExecuteRequest>, signal: AbortSignal): Promise<ExecuteResponse>;
  /** The `module` of the plugin's manifest, as the running program reports it. */
  schema(): Promise<unknown>;
  /** Whether the plugin reports that it serves. */
  ping(timeoutMs: number): Promise<void>;
  /**
   * Asks the plugin to end. Rejects if it does not answer in time. A plugin that ends at once also
   * causes a rejection.
   */
  shutdown(timeoutMs: number): Promise<void>;
  /**
   * The output of plugins that use HashiCorp's library, which block until it is read. If `onData` returns a promise, the
   * next data waits for it.
   */
  followStdio(onData: (data: StdioData) => Promise<void> | null): void;
  close(): void;
};

export function createConnection(
  grpc: Grpc,
  client: Client,
  services: PluginServices,
): PluginConnection {
  const toRpcError = ({ code, details, ...rest }: ServiceError) =>
    new RpcError(grpc.status[code] ?? String(code), details, { cause: rest });

  const callUnary = <T>(
    method: MethodDefinition<object, object>,
    request: object,
    { signal, timeoutMs, metadata }: UnaryOptions = {},
  ): Promise<T> =>
    new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = () => call.cancel();
      const call = client.makeUnaryRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        request,
        metadata ?? new grpc.Metadata(),
        timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs },
        (error, response) => {
          signal?.removeEventListener("abort", cancel);
          if (error === null && response !== undefined) {
            // Safe: the method's own type has decoded it.
            return resolve(response as T);
          }
          reject(signal?.aborted || error === null ? signal?.reason : toRpcError(error));
        },
      );
      signal?.addEventListener("abort", cancel, { once: true });
    });

  let shared: SharedStream | null = null;
  const openShared = (): SharedStream => {
    const method = toMethod(services, "connector", "Calls");
    const opened = createSharedStream(
      client.makeBidiStreamRequest(
        method.path,
        method.requestSerialize,
        // Safe: the method's own type decodes it.
        method.responseDeserialize as (bytes: Buffer) => Frames<ReceivedFrame>,
        new grpc.Metadata(),
        {},
      ),
      toRpcError,
      () => {
        if (shared === opened) shared = null;
      },
    );
    return opened;
  };

  const channel = client.getChannel();
  return {
    isConnected: () => channel.getConnectivityState(false) === grpc.connectivityState.READY,
    executeStream: (request, signal, onChunk) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        const method = toMethod(services, "connector", "ExecuteStream");
        const call = client.makeServerStreamRequest(
          method.path,
          method.requestSerialize,
          method.responseDeserialize,
          toOwnCall(request),
          toMetadata(grpc, request),
          {},
        );
        const cancel = () => call.cancel();
        const settle = (error: unknown) => {
          signal.removeEventListener("abort", cancel);
          if (error === null) resolve();
          else reject(signal.aborted ? signal.reason : error);
        };
        signal.addEventListener("abort", cancel, { once: true });
        call.on("data", (chunk: Chunk) => {
          try {
            onChunk(chunk);
          } catch (thrown) {
            settle(thrown);
            call.cancel();
          }
        });
        call.on("end", () => settle(null));
        call.on("error", (error: ServiceError) => settle(toRpcError(error)));
      }),
    executeShared(request, signal, onChunk) {
      shared ??= openShared();
      return shared.execute(request, signal, onChunk);
    },
    execute: (request, signal) =>
      callUnary(toMethod(services, "connector", "Execute"), toOwnCall(request), {
        signal,
        metadata: toMetadata(grpc, request),
      }),
    async schema() {
      const { manifestJson } = await callUnary<{ manifestJson: Uint8Array }>(
        toMethod(services, "connector", "Schema"),
        {},
      );
      return parseJson(Buffer.from(manifestJson).toString("utf8"));
    },
    async ping(timeoutMs) {
      const method = toMethod(services, "health", "Check");
      await callUnary(method, { service: "plugin" }, { timeoutMs });
    },
    async shutdown(timeoutMs) {
      // While the stream is open, the plugin waits for more calls.
      shared?.close();
      await callUnary(toMethod(services, "controller", "Shutdown"), {}, { timeoutMs });
    },
    followStdio(onData) {
      const method = toMethod(services, "stdio", "StreamStdio");
      const call = client.makeServerStreamRequest(
        method.path,
        method.requestSerialize,
        method.responseDeserialize,
        {},
        new grpc.Metadata(),
        {},
      );
      call.on("data", (data: StdioData) => {
        const rest = onData(data);
        if (rest === null) return;
        call.pause();
        void rest.finally(() => call.resume());
      });
      // Plugins of other libraries do not support it.
      call.on("error", () => {});
    },
    close: () => client.close(),
  };
}

type UnaryOptions = { signal?: AbortSignal; timeoutMs?: number; metadata?: Metadata };

/**
 * The trace context of a call that has a stream of its own. Libraries for gRPC of OpenTelemetry
 * read it from there.
 */
function toMetadata(
  grpc: Grpc,
  { traceparent, tracestate }: Pick<ExecuteRequest, "traceparent" | "tracestate">,
): Metadata {
  const metadata = new grpc.Metadata();
  if (traceparent) metadata.set("traceparent", traceparent);
  if (tracestate) metadata.set("tracestate", tracestate);
  return metadata;
}

/** Without what its metadata has: hosts of version 1 send no such members. */
function toOwnCall({ traceparent, tracestate, ...request }: Partial<ExecuteRequest>) {
  return request;
}

function toMethod(
  services: PluginServices,
  service: keyof PluginServices,
  name: string,
): MethodDefinition<object, object> {
  const method = services[service][name];
  if (method === undefined) throw new Error(`The service ${service} has no method ${name}`);
  // ServiceDefinition does not keep the message types. The callers in this file use their own.
  return method as MethodDefinition<object, object>;
}
