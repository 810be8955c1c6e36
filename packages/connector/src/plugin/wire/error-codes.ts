/**
 * The values of `Error.code` in version 2. The code of an OutboundError has the prefix `outbound_`.
 */
export const wireErrorCodes = {
  upstream: "upstream_error",
  outboundPrefix: "outbound_",
  /** The connector threw an error. Its message is for the caller. */
  thrown: "exec_error",
  /** A bug in the connector's code. The details go to the log. */
  internal: "internal_error",
  /** The result is not JSON. */
  result: "marshal_error",
  /** A message of the connector is larger than the limit. */
  tooLarge: "too_large",
  unknownOperation: "unknown_operation",
  /** Invalid inputs. In version 2, with the issue of each input if the connector names it. */
  badArgs: "bad_args",
} as const;
