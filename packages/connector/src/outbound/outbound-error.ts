/**
 * Why a call to the outside was not made or did not end well.
 * - `bad_url`: the address cannot be called at all
 * - `blocked`: the outbound guard refused it
 * - `dns`: its name has no address
 * - `network`: no connection, a certificate that is not valid, or a broken answer
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

/** What a guarded fetch rejects with. `message` may be shown: it says what an admin can do. */
export class OutboundError extends Error {
  override readonly name = "OutboundError";
  readonly code: OutboundErrorCode;

  constructor(code: OutboundErrorCode, message: string, options: { cause?: unknown } = {}) {
    super(message, options);
    this.code = code;
  }
}
