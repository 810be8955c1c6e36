import { InvalidInputError, type Json, OutboundError, UpstreamError } from "@hub/connector";
import { ProgramFailure } from "../../connectors/program-failure.ts";
import { HubError, toHubError, toInvalidParams } from "../../errors.ts";
import { findPlainJson, tooLargeValue } from "../../lib/json/plain-json.ts";
import { isFileError } from "../../lib/text/safe-reason.ts";

/** Bugs in a connector's code. Their messages do not help a caller. */
const programmingErrors = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError];

/**
 * Converts a connector's error into a failure. Messages about the outside system are passed on.
 * Errors inside the connector's code go to the log only.
 */
export function toConnectorFailure(thrown: unknown): HubError {
  if (thrown instanceof HubError) return thrown;
  // The caller can correct this input, so it is not logged, like an issue with a param.
  if (thrown instanceof InvalidInputError) return toInvalidParams(thrown.issues);
  if (thrown instanceof UpstreamError) {
    const { httpStatus, body, message, retryAfterS } = thrown;
    const detail = {
      // A larger number could not be recorded, and the call would stay without its outcome.
      ...(Number.isSafeInteger(httpStatus) && { http_status: httpStatus }),
      ...(Number.isFinite(retryAfterS) && { retry_after_s: Math.max(Number(retryAfterS), 0) }),
      ...(thrown instanceof ProgramFailure &&
        thrown.programOutput !== "" && { program_output: thrown.programOutput }),
      ...(body !== undefined && { upstream: toUpstream(body) }),
    };
    return new HubError("upstream_error", message, { detail, cause: thrown });
  }
  if (thrown instanceof OutboundError) {
    const code = thrown.code === "timeout" ? "timeout" : "upstream_error";
    const detail = thrown.isUnsent ? { not_sent: true } : {};
    return new HubError(code, thrown.message, { detail, cause: thrown });
  }
  // The message names a file of the hub's machine, not an outside system.
  if (isFileError(thrown)) return toHubError(thrown);
  if (!(thrown instanceof Error) || programmingErrors.some((kind) => thrown instanceof kind)) {
    return toHubError(thrown);
  }
  return new HubError("upstream_error", thrown.message || "The operation failed.", {
    cause: thrown,
  });
}

/**
 * The failure is reported even if its body cannot be, for example a client's whole response object.
 */
function toUpstream(body: unknown): Json {
  try {
    const plain = findPlainJson(body);
    // A large body is cut later, by code that knows the secrets.
    return plain === tooLargeValue ? body : plain;
  } catch {
    return "The body is cyclic or nested too deeply for JSON, so it is left out.";
  }
}
