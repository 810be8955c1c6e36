import type { ServerUnaryCall, sendUnaryData, UntypedServiceImplementation } from "@grpc/grpc-js";
import { toJsonText } from "../../json.ts";
import { toModuleManifest } from "../manifest/to-module-manifest.ts";
import { toVersion1Module } from "../manifest/to-version-1-module.ts";
import type { ExecuteRequest } from "../wire/wire-messages.ts";
import { answerCall, type CallDeps } from "./answer-call.ts";
import { type ChunkSink, createCallChannel } from "./call-channel.ts";
import { createOwnStream, type ExecuteCall } from "./own-stream.ts";
import { createSharedCalls, type SharedCall } from "./shared-calls.ts";
import { writeStderrLine } from "./stderr-log.ts";
import { ResultError, toWireError } from "./wire-error.ts";

export type ConnectorService = {
  /** `wick.connector.v1.Connector`. gRPC answers UNIMPLEMENTED for all other methods. */
  methods: UntypedServiceImplementation;
  /** Accepts no more calls. Streams end after their running calls. */
  finish(): void;
};

export function createConnectorService(deps: CallDeps): ConnectorService {
  const module = toModuleManifest(deps.definition);
  const shown = deps.version === 1 ? toVersion1Module(module) : module;
  const manifestJson = Buffer.from(toJsonText(shown));
  const shared = createSharedCalls();
  const answer = async (request: ExecuteRequest, sink: ChunkSink) => {
    const channel = createCallChannel(deps.version, sink);
    try {
      await channel.sendResult(toJson(await answerCall(deps, request, channel)));
    } catch (thrown) {
      channel.sendError(toWireError(thrown));
    }
  };
  const methods: UntypedServiceImplementation = {
    Schema: (_call: unknown, reply: sendUnaryData<object>) => reply(null, { manifestJson }),
    Health: (_call: unknown, reply: sendUnaryData<object>) => reply(null, { healthy: true }),
    ExecuteStream: (call: ExecuteCall) => answer(withTrace(call), createOwnStream(call)),
    ...(deps.version === 2 && { Calls: (stream: SharedCall) => shared.accept(stream, answer) }),
    /** For hosts that do not stream. Progress is not reported. */
    async Execute(call: ServerUnaryCall<ExecuteRequest, object>, reply: sendUnaryData<object>) {
      try {
        const result = await answerCall(deps, withTrace(call), createSilentChannel(call));
        reply(null, { resultJson: toJson(result) });
      } catch (thrown) {
        reply(null, { error: toWireError(thrown) });
      }
    },
  };
  return { methods, finish: shared.finish };
}

/** The request with the trace context of its metadata. */
function withTrace({
  request,
  metadata,
}: Pick<ServerUnaryCall<ExecuteRequest, object>, "request" | "metadata">): ExecuteRequest {
  const read = (name: string) => metadata.get(name).map(String).join(",");
  return { ...request, traceparent: read("traceparent"), tracestate: read("tracestate") };
}

function toJson(result: unknown): Buffer {
  try {
    return Buffer.from(toJsonText(result));
  } catch (thrown) {
    // An error in a result's own `toJSON` is a failure of the connector, as inside the hub.
    if (!(thrown instanceof TypeError || thrown instanceof RangeError)) throw thrown;
    throw new ResultError("The result cannot be converted to JSON.", { cause: thrown });
  }
}

function createSilentChannel(call: ServerUnaryCall<ExecuteRequest, object>) {
  const abort = new AbortController();
  call.on("cancelled", () => abort.abort());
  const write =
    (level: "debug" | "info" | "warn" | "error") =>
    (message: string, details?: Record<string, unknown>) =>
      writeStderrLine(level, message, details);
  const ignore = () => {};
  return {
    signal: abort.signal,
    log: { debug: write("debug"), info: write("info"), warn: write("warn"), error: write("error") },
    mask: ignore,
    maskIgnoreCase: ignore,
    recordHttpStatus: ignore,
    progress: ignore,
  };
}
