/** What `Error.code` says in version 2; `outbound_` goes before the code of an OutboundError. */
export const wireErrorCodes = {
  upstream: "upstream_error",
  outboundPrefix: "outbound_",
  /** The connector threw an error. Its message is for the caller. */
  thrown: "exec_error",
  /** A fault of the connector's code; what happened is for the log. */
  internal: "internal_error",
  /** The result is not JSON. */
  result: "marshal_error",
  /** One thing that the connector had to say is larger than a message may be. */
  tooLarge: "too_large",
  unknownOperation: "unknown_operation",
  /** Inputs are wrong; in version 2 with what is wrong with each, where the connector says so. */
  badArgs: "bad_args",
} as const;
