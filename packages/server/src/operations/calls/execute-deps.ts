import type { GuessLimiter } from "../guesses/limit-guesses.ts";
import type { PendingCalls } from "../pending/pending-calls.ts";
import type { RecordDeps } from "../records/record-call.ts";
import type { ShownSchemas } from "./complete-failure.ts";
import type { PrepareDeps } from "./prepare-call.ts";
import type { RunDeps } from "./run-in-connector.ts";
import type { RightWatch } from "./watch-right.ts";

export type ExecuteDeps = RecordDeps &
  RunDeps &
  PrepareDeps & {
    rights: RightWatch;
    guessLimiter: GuessLimiter;
    schemas: ShownSchemas;
    pending: PendingCalls;
  };
