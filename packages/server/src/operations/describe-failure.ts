import { OutboundError, UpstreamError } from "@hub/connector";
import { HubError, toHubError } from "../errors.ts";

/** Faults of a connector's own code, whose messages help nobody who calls it. */
const programmingErrors = [TypeError, ReferenceError, RangeError, SyntaxError, EvalError];

/**
 * The failure that a connector's throw stands for. What the connector says about the outside
 * system is passed on; what went wrong inside its code is for the log only.
 */
export function toConnectorFailure(thrown: unknown): HubError {
  if (thrown instanceof HubError) return thrown;
  if (thrown instanceof UpstreamError) {
    const detail: Record<string, unknown> = {};
    if (thrown.httpStatus !== undefined) detail.http_status = thrown.httpStatus;
    if (thrown.body !== undefined) detail.upstream = thrown.body;
    return new HubError("upstream_error", thrown.message, { detail, cause: thrown });
  }
  if (thrown instanceof OutboundError) {
    const code = thrown.code === "timeout" ? "timeout" : "upstream_error";
    return new HubError(code, thrown.message, { cause: thrown });
  }
  if (!(thrown instanceof Error) || programmingErrors.some((kind) => thrown instanceof kind)) {
    return toHubError(thrown);
  }
  return new HubError("upstream_error", thrown.message || "The operation failed.", {
    cause: thrown,
  });
}
