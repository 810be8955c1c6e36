import { type Json, parseJson, toJsonText } from "@hub/connector";

/** What a run got when it was asked for, beside its event. */
export type Given = {
  /** Outputs that stand in for those of nodes in a dry run, by node. */
  pins?: Record<string, Json>;
  /** An earlier run, whose outputs stand in for those of steps that a dry run does not carry out. */
  pinsFrom?: string;
  /** Whether only the first node runs. */
  isAlone?: true;
  /**
   * How often a step was refused in the runs that this one resumes, by `node:item`. Its next try is another
   * request for the outside system, so it gets another idempotency key.
   */
  generations?: Record<string, number>;
  /** When the run ends at the latest, waits included, in epoch ms: of a trial. */
  endsAt?: number;
};

export function toGivenText(given: Given | undefined): string | null {
  return given === undefined ? null : toJsonText(given as Json);
}

export function readGiven(text: string | null): Given {
  // Safe: `toGivenText` wrote it.
  return text === null ? {} : (parseJson(text) as Given);
}
