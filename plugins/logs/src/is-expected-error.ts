import { OutboundError, UpstreamError } from "@hub/connector";
import { SetupError } from "./setup-error.ts";

/** Errors whose message helps an admin, in contrast to bugs in this program. */
export function isExpectedError(thrown: unknown): thrown is Error {
  return (
    thrown instanceof UpstreamError ||
    thrown instanceof OutboundError ||
    thrown instanceof SetupError
  );
}
