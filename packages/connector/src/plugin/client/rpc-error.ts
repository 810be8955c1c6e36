/** A call that gRPC ended. `status` is the name of its code, such as `UNAVAILABLE`. */
export class RpcError extends Error {
  override readonly name = "RpcError";
  readonly status: string;
  /** The other side's message, without gRPC's prefix. */
  readonly details: string;

  constructor(status: string, details: string, options: { cause?: unknown } = {}) {
    super(`${status}: ${details}`, options);
    this.status = status;
    this.details = details;
  }
}
