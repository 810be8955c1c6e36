/**
 * Why a request was not sent or failed.
 * - `bad_url`: the URL is invalid for requests
 * - `blocked`: the outbound guard refused it
 * - `dns`: the host name has no address
 * - `network`: no connection, an invalid certificate, or an invalid answer
 * - `timeout`, `body_too_large`, `too_many_redirects`
 */
export type OutboundErrorCode =
  | "bad_url"
  | "blocked"
  | "body_too_large"
  | "dns"
  | "network"
  | "timeout"
  | "too_many_redirects";

/** The error of a guarded fetch. `message` may be shown: it says what an admin can do. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly code: OutboundErrorCode;
  /**
   * Whether it is known that no server got the request: the host name has no address, or the server
   * refused the connection. Then another try does nothing a second time.
   */
  readonly isUnsent: boolean;

  constructor(
    code: OutboundErrorCode,
    message: string,
    options: { cause?: unknown; isUnsent?: boolean } = {},
  ) {
    super(message, options);
    this.code = code;
    this.isUnsent = options.isUnsent === true;
  }
}
