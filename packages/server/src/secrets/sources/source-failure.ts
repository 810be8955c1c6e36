/**
 * Why a secret could not be read. `away`: the manager did not answer, or said that it cannot now, so the last value
 * may be used for a while. `refused`: it denies the hub the secret. `absent`: it has no such secret or field. `bad`: its
 * answer cannot be used.
 */
export type SourceFailureKind = "away" | "refused" | "absent" | "bad";

/** The reason is the end of a sentence for admins. It quotes nothing that a manager answered. */
export class SourceFailure extends Error {
  readonly kind: SourceFailureKind;
  /** How long the manager asks to be left alone, in milliseconds. */
  readonly retryAfterMs: number | null;

  constructor(kind: SourceFailureKind, reason: string, retryAfterMs: number | null = null) {
    super(reason);
    this.name = "SourceFailure";
    this.kind = kind;
    this.retryAfterMs = retryAfterMs;
  }
}
