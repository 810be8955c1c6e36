import { OutboundError, SetupError, UpstreamError } from "@hub/connector";

/** Errors whose message helps an admin, in contrast to bugs in this program. */
export function isExpectedError(thrown: unknown): thrown is Error {
  return (
    thrown instanceof UpstreamError ||
    thrown instanceof OutboundError ||
    thrown instanceof SetupError
  );
}
