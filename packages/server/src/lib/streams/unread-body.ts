/**
 * How a body is parsed: `json` must be JSON; `maybe-json` is text if it is not JSON; `text` is only
 * decoded; `maybe-text` is `otherwise` if it is not UTF-8.
 */
export type BodyForm =
  | { kind: "json" | "maybe-json" | "text"; charset?: string | undefined }
  | { kind: "maybe-text"; otherwise: unknown };

/** An answer that is too large for the event loop. A worker parses it after the call. */
export class UnreadBody {
  readonly bytes: Uint8Array;
  readonly form: BodyForm;

  constructor(bytes: Uint8Array, form: BodyForm) {
    this.bytes = bytes;
    this.form = form;
  }
}
