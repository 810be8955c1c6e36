import { InvalidInputError, type Json, OutboundError, UpstreamError } from "@hub/connector";
import { HubError, toHubError, toInvalidParams } from "../errors.ts";
import { findPlainJson, tooLargeValue } from "../lib/plain-json.ts";
import { isFileError } from "../lib/safe-reason.ts";

/** Faults of a connector's own code, whose messages help nobody who calls it. */
const programmingErrors = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError];

/**
 * The failure that a connector's throw stands for. What the connector says about the outside
 * system is passed on; what went wrong inside its code is for the log only.
 */
export function toConnectorFailure(thrown: unknown): HubError {
  if (thrown instanceof HubError) return thrown;
  // The caller's to mend, as what the check of the params finds: the log is not told of it.
  if (thrown instanceof InvalidInputError) return toInvalidParams(thrown.issues);
  if (thrown instanceof UpstreamError) {
    const { httpStatus, body, message } = thrown;
    const detail = {
      ...(Number.isInteger(httpStatus) && { http_status: httpStatus }),
      ...(body !== undefined && { upstream: toUpstream(body) }),
    };
    return new HubError("upstream_error", message, { detail, cause: thrown });
  }
  if (thrown instanceof OutboundError) {
    const code = thrown.code === "timeout" ? "timeout" : "upstream_error";
    return new HubError(code, thrown.message, { cause: thrown });
  }
  // Its words name a file of the hub's machine, and nothing outside.
  if (isFileError(thrown)) return toHubError(thrown);
  if (!(thrown instanceof Error) || programmingErrors.some((kind) => thrown instanceof kind)) {
    return toHubError(thrown);
  }
  return new HubError("upstream_error", thrown.message || "The operation failed.", {
    cause: thrown,
  });
}

/** A failure has to be told although what comes with it cannot, such as a client's whole response. */
function toUpstream(body: unknown): Json {
  try {
    const plain = findPlainJson(body);
    // Of a large one, the beginning is taken where the secrets are known.
    return plain === tooLargeValue ? body : plain;
  } catch {
    return "It is cyclic or nested too deeply to be written as JSON, so it is left out.";
  }
}
