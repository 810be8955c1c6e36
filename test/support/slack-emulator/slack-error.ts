/** An error of the Web API: `{ ok: false, error, … }`. */
export class SlackError extends Error {
  readonly code: string;
  readonly extra: Record<string, unknown>;
  /** The call was malformed: a test that asserts that there are no faults fails. */
  readonly isFault: boolean;

  constructor(code: string, extra: Record<string, unknown> = {}, { isFault = false } = {}) {
    super(code);
    this.code = code;
    this.extra = extra;
    this.isFault = isFault;
  }
}

/** An error whose details are in `response_metadata.messages`. */
export function toDetailedError(
  code: string,
  messages: readonly string[],
  options: { isFault?: boolean } = {},
): SlackError {
  return new SlackError(code, { response_metadata: { messages } }, options);
}
