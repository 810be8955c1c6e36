import { parseJson } from "@hub/connector";
import { errorTable, HubError, toHubError } from "../../errors.ts";
import type { Log } from "../../lib/logs/create-log.ts";
import type { CallContext } from "../../operations/operations.ts";
import type { Method, ReplyStream } from "../capability.ts";
import type { Params, RequestFrame } from "../frames/frame.ts";
import { findProgressTokenFault } from "../frames/progress.ts";
import { toErrorFrame, toResultFrame } from "../frames/write-frame.ts";
import type { ProtocolMode } from "../modes/protocol-mode.ts";

export type DispatchDeps = { log: Pick<Log, "error"> };

/** A response frame, and its HTTP status when it is sent as JSON. */
export type Reply = { text: string; httpStatus: number };

/** A valid request, with the method that answers it. */
export type Accepted = {
  request: RequestFrame;
  params: Params;
  mode: ProtocolMode;
  method: Method;
};

/** Checks a request as its protocol mode demands, before anything runs. */
export function acceptRequest(
  mode: ProtocolMode,
  request: RequestFrame,
  headers: Headers | null,
): Accepted | HubError {
  const { params } = request;
  if (params === null) return new HubError("malformed_params", '"params" must be an object.');
  const fault = mode.findFault(request, params, headers) ?? findProgressTokenFault(params);
  if (fault !== null) return fault;
  const method = mode.methods.get(request.method);
  if (method !== undefined) return { request, params, mode, method };
  return new HubError(
    "method_not_found",
    `Unknown method "${request.method.slice(0, 100)}". This server supports ${[...mode.methods.keys()].join(", ")}.`,
  );
}

/** Runs an accepted request. `writer` writes to the client before the reply; null where it reads no stream. Never throws. */
export async function runRequest(
  { log }: DispatchDeps,
  { request, params, mode, method }: Accepted,
  ctx: CallContext,
  writer: Omit<ReplyStream, "requestId"> | null = null,
): Promise<Reply> {
  try {
    const stream = writer && { requestId: parseJson(request.id), ...writer };
    const result = mode.toResult(method, await method.answer(ctx, params, stream));
    return { text: toResultFrame(request.id, result), httpStatus: 200 };
  } catch (thrown) {
    const failure = toHubError(thrown);
    if (failure.code === "internal") {
      log.error({ err: failure.cause, method: request.method }, "A request failed inside the hub");
    }
    return toFailureReply(mode, request, failure);
  }
}

/** Refuses a request, and records it if its method does. Never throws. */
export async function refuseRequest(
  mode: ProtocolMode,
  request: RequestFrame,
  ctx: CallContext,
  fault: HubError,
): Promise<Reply> {
  const method = mode.methods.get(request.method);
  const failure = (await method?.recordRefused?.(ctx, request.params, fault)) ?? fault;
  return toFailureReply(mode, request, failure);
}

function toFailureReply(mode: ProtocolMode, request: RequestFrame, failure: HubError): Reply {
  const isUnknown = failure.code === "method_not_found";
  const httpStatus = isUnknown ? mode.unknownMethodStatus : errorTable[failure.code].httpStatus;
  return { text: toErrorFrame(request.id, failure), httpStatus };
}
