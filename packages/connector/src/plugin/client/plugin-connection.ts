import type { Client, Metadata, MethodDefinition, ServiceError } from "@grpc/grpc-js";
import { parseJson } from "../../json.ts";
import type { PluginServices } from "../wire/services.ts";
import type {
  Chunk,
  ExecuteRequest,
  ExecuteResponse,
  Frames,
  StdioData,
} from "../wire/wire-messages.ts";
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
  return new GrpcConnection(grpc, client, services);
}

class GrpcConnection implements PluginConnection {
  readonly #grpc: Grpc;
  readonly #client: Client;
  readonly #services: PluginServices;
  /** Opened for the first call that uses it, and after it has ended. */
  #shared: SharedStream | null = null;

  constructor(grpc: Grpc, client: Client, services: PluginServices) {
    this.#grpc = grpc;
    this.#client = client;
    this.#services = services;
  }

  isConnected(): boolean {
    const state = this.#client.getChannel().getConnectivityState(false);
    return state === this.#grpc.connectivityState.READY;
  }

  async executeStream(
    request: Partial<ExecuteRequest>,
    signal: AbortSignal,
    onChunk: (chunk: Chunk) => void,
  ): Promise<void> {
    signal.throwIfAborted();
    const method = toMethod(this.#services, "connector", "ExecuteStream");
    const metadata = toMetadata(this.#grpc, request);
    const call = this.#openStream(method, toOwnCall(request), metadata);
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const cancel = () => call.cancel();
    signal.addEventListener("abort", cancel, { once: true });
    call.on("data", (chunk: Chunk) => {
      try {
        onChunk(chunk);
      } catch (thrown) {
        reject(signal.aborted ? signal.reason : thrown);
        call.cancel();
      }
    });
    call.on("end", () => resolve());
    call.on("error", (error: ServiceError) =>
      reject(signal.aborted ? signal.reason : this.#toRpcError(error)),
    );
    await promise.finally(() => signal.removeEventListener("abort", cancel));
  }

  executeShared(...call: Parameters<SharedStream["execute"]>): ReturnType<SharedStream["execute"]> {
    this.#shared ??= this.#openShared();
    return this.#shared.execute(...call);
  }

  execute(request: Partial<ExecuteRequest>, signal: AbortSignal): Promise<ExecuteResponse> {
    const method = toMethod(this.#services, "connector", "Execute");
    const metadata = toMetadata(this.#grpc, request);
    return this.#callUnary(method, toOwnCall(request), { signal, metadata });
  }

  async schema(): Promise<unknown> {
    const method = toMethod(this.#services, "connector", "Schema");
    const { manifestJson } = await this.#callUnary<{ manifestJson: Uint8Array }>(method, {});
    return parseJson(Buffer.from(manifestJson).toString("utf8"));
  }

  async ping(timeoutMs: number): Promise<void> {
    const method = toMethod(this.#services, "health", "Check");
    await this.#callUnary(method, { service: "plugin" }, { timeoutMs });
  }

  async shutdown(timeoutMs: number): Promise<void> {
    // While the stream is open, the plugin waits for more calls.
    this.#shared?.close();
    const method = toMethod(this.#services, "controller", "Shutdown");
    await this.#callUnary(method, {}, { timeoutMs });
  }

  followStdio(onData: (data: StdioData) => Promise<void> | null): void {
    const method = toMethod(this.#services, "stdio", "StreamStdio");
    const call = this.#openStream(method, {}, new this.#grpc.Metadata());
    call.on("data", (data: StdioData) => {
      const rest = onData(data);
      if (rest === null) return;
      call.pause();
      void rest.finally(() => call.resume());
    });
    // Plugins of other libraries do not support it.
    call.on("error", () => {});
  }

  close(): void {
    this.#client.close();
  }

  #callUnary<T>(
    method: MethodDefinition<object, object>,
    request: object,
    { signal, timeoutMs, metadata = new this.#grpc.Metadata() }: UnaryOptions = {},
  ): Promise<T> {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) return reject(signal.reason);
      const cancel = () => call.cancel();
      const { path, requestSerialize, responseDeserialize } = method;
      const options = timeoutMs === undefined ? {} : { deadline: Date.now() + timeoutMs };
      const finish = (error: ServiceError | null, response?: object) => {
        signal?.removeEventListener("abort", cancel);
        // Safe: the method's own type has decoded it.
        if (error === null && response !== undefined) return resolve(response as T);
        reject(signal?.aborted || error === null ? signal?.reason : this.#toRpcError(error));
      };
      const call = this.#client.makeUnaryRequest(
        path,
        requestSerialize,
        responseDeserialize,
        request,
        metadata,
        options,
        finish,
      );
      signal?.addEventListener("abort", cancel, { once: true });
    });
  }

  #openStream(method: MethodDefinition<object, object>, request: object, metadata: Metadata) {
    const { path, requestSerialize, responseDeserialize } = method;
    return this.#client.makeServerStreamRequest(
      path,
      requestSerialize,
      responseDeserialize,
      request,
      metadata,
      {},
    );
  }

  #openShared(): SharedStream {
    const method = toMethod(this.#services, "connector", "Calls");
    const opened = createSharedStream(
      this.#client.makeBidiStreamRequest(
        method.path,
        method.requestSerialize,
        // Safe: the method's own type decodes it.
        method.responseDeserialize as (bytes: Buffer) => Frames<ReceivedFrame>,
        new this.#grpc.Metadata(),
        {},
      ),
      (error) => this.#toRpcError(error),
      () => {
        if (this.#shared === opened) this.#shared = null;
      },
    );
    return opened;
  }

  #toRpcError({ code, details, ...rest }: ServiceError): RpcError {
    return new RpcError(this.#grpc.status[code] ?? String(code), details, { cause: rest });
  }
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
