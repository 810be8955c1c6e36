/** Limits of one user or one row; 0 means no limit. */
export type CallLimit = {
  /** Calls per minute. After a pause, that many calls may start at once. */
  perMinute: number;
  /** Concurrent calls. */
  atOnce: number;
};

/** The limit that a call would exceed. */
export type CallRefusal = { limit: "atOnce" } | { limit: "perMinute"; waitMs: number };

/** A call that is counted until `end`. */
export type CountedCall = {
  /**
   * Why the call must not run, or null. It is a promise if the database must be asked, which it is
   * while the caller does other work. The promise rejects if the database fails.
   */
  refusal: CallRefusal | null | Promise<CallRefusal | null>;
  /** The call is over, or was refused. Later uses do nothing. */
  end(): void;
};

/** The calls of users and rows. Earlier calls count under the limit that is given now. */
export type CallCounts = {
  begin(key: string, limit: CallLimit): CountedCall;
};
