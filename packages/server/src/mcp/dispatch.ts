import { errorTable, HubError, toHubError } from "../errors.ts";
import type { Log } from "../lib/create-log.ts";
import type { CallContext } from "../operations/operations.ts";
import type { Era, Method } from "./era.ts";
import type { Params, RequestFrame } from "./frame.ts";
import { recordRefused } from "./methods/call-tool.ts";
import { findProgressTokenFault } from "./progress.ts";
import type { ToolDeps } from "./tools/define-meta-tool.ts";
import { toErrorFrame, toResultFrame } from "./write-frame.ts";

export type DispatchDeps = Pick<ToolDeps, "operations"> & { log: Pick<Log, "error"> };

/** A response frame, and the status it has where HTTP carries it alone. */
export type Reply = { text: string; httpStatus: number };

/** A request that its era takes, with the method that answers it. */
export type Accepted = { request: RequestFrame; params: Params; era: Era; method: Method };

/** Reads a request as its era does: what can be refused without running anything is refused here. */
export function acceptRequest(
  era: Era,
  request: RequestFrame,
  headers: Headers | null,
): Accepted | HubError {
  const { params } = request;
  if (params === null) return new HubError("malformed_params", '"params" must be an object.');
  const fault = era.findFault(request, params, headers) ?? findProgressTokenFault(params);
  if (fault !== null) return fault;
  const method = era.methods.get(request.method);
  if (method !== undefined) return { request, params, era, method };
  return new HubError(
    "method_not_found",
    `There is no method "${request.method.slice(0, 100)}". This server has ${[...era.methods.keys()].join(", ")}.`,
  );
}

/** Runs an accepted request. Never throws. */
export async function runRequest(
  { log }: DispatchDeps,
  { request, params, era, method }: Accepted,
  ctx: CallContext,
): Promise<Reply> {
  try {
    const result = era.toResult(request.method, await method(ctx, params));
    return { text: toResultFrame(request.id, result), httpStatus: 200 };
  } catch (thrown) {
    const failure = toHubError(thrown);
    if (failure.code === "internal") {
      log.error({ err: failure.cause, method: request.method }, "A request failed inside the hub");
    }
    return toFailureReply(era, request, failure);
  }
}

/** Refuses a request. A `tools/call` is recorded, whatever is wrong with it. Never throws. */
export async function refuseRequest(
  deps: DispatchDeps,
  era: Era,
  request: RequestFrame,
  ctx: CallContext,
  fault: HubError,
): Promise<Reply> {
  const isCall = request.method === "tools/call";
  const failure = isCall ? await recordRefused(deps, ctx, request.params, fault) : fault;
  return toFailureReply(era, request, failure);
}

function toFailureReply(era: Era, request: RequestFrame, failure: HubError): Reply {
  const isUnknown = failure.code === "method_not_found";
  const httpStatus = isUnknown ? era.unknownMethodStatus : errorTable[failure.code].httpStatus;
  return { text: toErrorFrame(request.id, failure), httpStatus };
}
