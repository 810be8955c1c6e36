import { OutboundError, UpstreamError } from "@hub/connector";
import { SetupError } from "./setup-error.ts";

/** What an admin can read and mend, in contrast to a fault of this program. */
export function isTold(thrown: unknown): thrown is Error {
  return (
    thrown instanceof UpstreamError ||
    thrown instanceof OutboundError ||
    thrown instanceof SetupError
  );
}
