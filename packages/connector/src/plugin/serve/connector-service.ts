import type { ServerUnaryCall, sendUnaryData, UntypedServiceImplementation } from "@grpc/grpc-js";
import { toJsonText } from "../../json.ts";
import { toModuleManifest } from "../manifest/to-module-manifest.ts";
import type { ExecuteRequest } from "../wire/messages.ts";
import { answerCall, type CallDeps } from "./answer-call.ts";
import { createCallChannel, type ExecuteCall } from "./call-channel.ts";
import { writeStderrLine } from "./stderr-log.ts";
import { ResultError, toWireError } from "./wire-error.ts";

/** `wick.connector.v1.Connector`. What is not here answers UNIMPLEMENTED by itself. */
export function createConnectorService(deps: CallDeps): UntypedServiceImplementation {
  const manifestJson = Buffer.from(toJsonText(toModuleManifest(deps.definition)));
  return {
    Schema: (_call: unknown, answer: sendUnaryData<object>) => answer(null, { manifestJson }),
    Health: (_call: unknown, answer: sendUnaryData<object>) => answer(null, { healthy: true }),
    async ExecuteStream(call: ExecuteCall) {
      const channel = createCallChannel(deps.version, call);
      try {
        await channel.sendResult(toJson(await answerCall(deps, call.request, channel)));
      } catch (thrown) {
        channel.sendError(toWireError(thrown));
      }
    },
    /** For hosts that do not stream: what happens on the way is not told. */
    async Execute(call: ServerUnaryCall<ExecuteRequest, object>, answer: sendUnaryData<object>) {
      try {
        const result = await answerCall(deps, call.request, createSilentChannel(call));
        answer(null, { resultJson: toJson(result) });
      } catch (thrown) {
        answer(null, { error: toWireError(thrown) });
      }
    },
  };
}

function toJson(result: unknown): Buffer {
  try {
    return Buffer.from(toJsonText(result));
  } catch (thrown) {
    // What a result's own `toJSON` throws is the connector's failure, as it is inside the hub.
    if (!(thrown instanceof TypeError || thrown instanceof RangeError)) throw thrown;
    throw new ResultError("The result cannot be written as JSON.", { cause: thrown });
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
    noteHttpStatus: ignore,
    progress: ignore,
  };
}
