const minuteMs = 60_000;
const hourMs = 60 * minuteMs;
const dayMs = 24 * hourMs;

/** How many questions may be open, and how long each thing lasts. */
export const pendingLimits = {
  /** Of a user's clients, and as many again of the user's workflows. */
  openOfUser: 20,
  openOfOperation: 5,
  /** Of a user and a server: calls that run as tasks. */
  runningOfUser: 20,
  /** After so many denials in an hour, the calls of an operation by a principal are refused. */
  denials: 2,
  denialMs: hourMs,
  /** A question to the caller, and one to others. */
  callerMs: hourMs,
  othersMs: dayMs,
  /** An approval that was not used by then has no effect. */
  approvedMs: 15 * minuteMs,
  /** A permission for an operation, a principal and an account. */
  permitMs: hourMs,
  /** A result answers equal calls for so long: longer if it came without a call that waited for it. */
  resultMs: hourMs,
  ownResultMs: dayMs,
  /** What is not opened any more is kept for people. */
  keptMs: 30 * dayMs,
} as const;
