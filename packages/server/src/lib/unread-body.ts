/**
 * How a body is read: `json` must be JSON; `maybe-json` stays text where it is none; `text` is
 * decoded only; `maybe-text` is `otherwise` where it is not UTF-8.
 */
export type BodyForm =
  | { kind: "json" | "maybe-json" | "text"; charset?: string | undefined }
  | { kind: "maybe-text"; otherwise: unknown };

/** An answer too large to be read on the event loop: a worker reads it when the call is over. */
export class UnreadBody {
  readonly bytes: Uint8Array;
  readonly form: BodyForm;

  constructor(bytes: Uint8Array, form: BodyForm) {
    this.bytes = bytes;
    this.form = form;
  }
}
