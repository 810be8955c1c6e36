type UpstreamErrorOptions = {
  /** Status of the outside system's answer; absent if there was none. */
  httpStatus?: number;
  /** The answer as JSON or text, cut if it is long. It is shown to the caller, masked. */
  body?: unknown;
  /**
   * The wait in seconds that the system asks for before another try, such as of `Retry-After`: see `readRequestedWait`.
   * Retries of workflows obey it. Absent if it asks for none.
   */
  retryAfterS?: number;
  /** The underlying error, for the log only. */
  cause?: unknown;
};

/**
 * The outside system refused the request or failed. The call fails with code `upstream_error` and
 * the status as `http_status` and the wait as `retry_after_s`. `message` is shown to the caller and says what to do next.
 *
 * @example throw new UpstreamError("The host answered 404: no such issue.", { httpStatus: 404 });
 */
export class UpstreamError extends Error {
  override readonly name = "UpstreamError";
  readonly httpStatus: number | undefined;
  readonly body: unknown;
  readonly retryAfterS: number | undefined;

  constructor(message: string, options: UpstreamErrorOptions = {}) {
    super(message, { cause: options.cause });
    this.httpStatus = options.httpStatus;
    this.body = options.body;
    this.retryAfterS = options.retryAfterS;
  }
}
